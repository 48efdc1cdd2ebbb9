"""Claims on the number of documents, on tables that are made up: `fig3`, `fig5`, `rag_nonlinear`."""

import pytest

from tests.experiments.regression.comparison.made_up import NOISE, curve, judged, seeds, verdicts


def by_documents(directory, ends, noise=NOISE, loss_differences=None, reference="gradient_descent"):
    """ends: {(part, count): prediction difference at the last step}."""
    rows = []
    for (part, count), end in ends.items():
        place = {"part": part, "task.num_documents": count}
        loss_difference = (loss_differences or {}).get((part, count), 0.0)

        def numbers(prediction, loss_difference=loss_difference):
            metrics = {"prediction_l2": prediction, "loss_difference": loss_difference}
            return {f"{reference}.{name}": value for name, value in metrics.items()} | {"loss.gradient_descent": 1.0}

        rows += curve(place, {0: numbers(1.0), 5: numbers(end), 10: numbers(end)}, noise)
        noise = -noise
    directory.write_table("curves", rows)


ENDS = {("layers_2", 2): 0.1, ("layers_2", 25): 0.13, ("layers_5", 2): 0.1, ("layers_5", 25): 0.12}


def at_end(directory, excess=0.0, corrected=0.99, plain=0.95):
    rows = []
    for part, count in ENDS:
        place = {"part": part, "task.num_documents": count}
        off = (part, count) == ("layers_5", 25)  # in one place of four
        rows += seeds(place, "transformer", noise=NOISE, loss=1 + excess * off)
        rows += seeds(place, "gradient_descent", noise=-NOISE, loss=1.0, sensitivity_cosine=plain if off else 0.9)
        rows += seeds(place, "gd_plus_plus", loss=1.0, sensitivity_cosine=corrected)
    directory.write_table("seeds", rows)


def test_fig3(directory):
    at_end(directory)
    by_documents(directory, ENDS)
    assert verdicts("fig3", directory) == [True] * 4
    by_documents(directory, ENDS, loss_differences={("layers_5", 25): 0.2})
    assert verdicts("fig3", directory) == [False, True, True, True]
    by_documents(directory, ENDS | {("layers_2", 25): 0.3})
    assert verdicts("fig3", directory) == [False, True, True, True]
    by_documents(directory, ENDS | {("layers_2", 25): 0.05})
    assert verdicts("fig3", directory) == [True, False, True, True]
    by_documents(directory, ENDS, noise=0.02)
    assert verdicts("fig3", directory)[1] is None, "0.03 ± 0.02"
    at_end(directory, plain=0.995)
    assert verdicts("fig3", directory)[2:] == [False, True]
    for excess in (-0.3, 0.06):
        at_end(directory, excess)
        assert verdicts("fig3", directory)[2:] == [True, False], "as far is neither less nor more"


def test_fig5(directory):
    ends = {("layers_5", 2): 0.1, ("layers_5", 5): 0.3}
    by_documents(directory, ends)
    assert verdicts("fig5", directory) == [True]
    by_documents(directory, ends | {("layers_5", 5): 0.05})
    assert verdicts("fig5", directory) == [False]
    by_documents(directory, ends, noise=0.1)
    assert verdicts("fig5", directory) == [None]


@pytest.mark.parametrize(
    ("counts", "holds"),
    [
        ({2: 0.1, 5: 0.4, 15: 0.3}, [True]),
        ({2: 0.3, 5: 0.2, 15: 0.1}, [False]),
        ({2: 0.1, 5: 0.2}, [None]),
    ],
)
def test_rag_nonlinear(counts, holds, directory):
    """At both depths, of the distance from descent on learned features."""
    larger = {("layers_2", count): 0.01 * count for count in (2, 5, 15)}
    ends = {("layers_5", count): end for count, end in counts.items()}
    by_documents(directory, larger | ends, reference="learned_descent")
    assert verdicts("rag_nonlinear", directory) == holds
    by_documents(directory, larger | ends)
    assert verdicts("rag_nonlinear", directory) == [None], "the distance from descent on the inputs is another"
    by_documents(directory, ends, reference="learned_descent")
    assert verdicts("rag_nonlinear", directory) == [None], "one depth alone"


def test_what_the_tables_do_not_have_is_not_measured(directory):
    by_documents(directory, {key: end for key, end in ENDS.items() if key[0] == "layers_2"})
    claims = judged("fig3", directory)
    assert [claim["holds"] for claim in claims] == [None, True, None, None]
    assert claims[0]["why"] == "there is no row with part=layers_5"
