"""Reading again in several settings: verdicts on tables whose verdicts are known, and the rows that a panel shows."""

import math

import pytest

from analysis.figures.claim import Outcome
from analysis.tables.in_memory import Tables
from analysis.tables.select import Row
from experiments.demonstrations.deep_thinking.figures import deep_thinking_settings as settings

PARTS = ("trained", "one_per_class", "noisy_labels", "rotary", "rotary_offset")


def tables(one_each=0.01, noisy=0.01, input_fades=0.1, zero_shot=-0.3):
    """Tables in which these numbers are measured. input_fades: by how much the first layer's updates are smaller."""
    protocols, norms = [], []
    for seed in range(3):
        noise = 1e-4 * seed
        for part in PARTS:
            gain = {"one_per_class": one_each, "noisy_labels": noisy}.get(part, 0.0) + noise
            place = {"part": part, "seed": seed}
            for eta, beta, scale in ((0.01, 0.9, 1), (0.1, 0.9, -5), (0.01, 0.0, -7)):
                rate = {"eta": eta, "beta": beta}
                protocols.append(place | rate | {"protocol": "validated", "scored": math.nan, "gain": scale * gain})
                protocols += [
                    place | rate | {"protocol": name, "scored": scored, "gain": scale * gain + scored}
                    for name in ("best_per_task", "fresh")
                    for scored in (2.0, 4.0)
                ]
                norms += [
                    place
                    | rate
                    | {"layer": layer, "iterations": count, "relative": 0.5 + layer * input_fades + noise * layer}
                    for layer in (1.0, 2.0, 3.0)
                    for count in (2.0, 3.0, 15.0)
                ]
            protocols += [
                place
                | {"eta": math.nan, "beta": math.nan, "protocol": name, "scored": math.nan, "gain": value + 2 * noise}
                for name, value in (("again", 0.0), ("twice", 0.0), ("zero_shot", zero_shot))
            ]
            norms = [row | {"iterations": 8.0} if row["iterations"] == 3.0 else row for row in norms]
    return Tables(protocols=protocols, norms=norms)


def judged(directory):
    return [claim.evaluate(directory, {}, getattr(settings, "CONTROLS", ())) for claim in settings.CLAIMS]


@pytest.mark.parametrize(
    ("numbers", "refuted"),
    [({}, []), ({"one_each": -0.01}, [0]), ({"noisy": -0.01}, [1]), ({"input_fades": -0.1}, [2])],
    ids=str,
)
def test_verdicts_follow_the_numbers(numbers, refuted):
    assert [verdict["holds"] for verdict in judged(tables(**numbers))] == [i not in refuted for i in range(3)]


def test_no_verdicts_on_decoders_that_learn_nothing_in_context():
    assert {verdict["outcome"] for verdict in judged(tables(zero_shot=0.0))} == {Outcome.NOT_REACHED}


def test_a_setting_that_was_left_out_is_not_measured():
    directory = tables()
    rest = {name: [row for row in rows if row["part"] == "trained"] for name, rows in directory.tables.items()}
    assert {verdict["outcome"] for verdict in judged(Tables(**rest))} == {Outcome.NOT_MEASURED}


def test_a_panel_shows_the_rate_of_the_source_and_the_most_queries():
    rows = [Row(row) for row in tables().tables["protocols"] if row["part"] == "noisy_labels"]
    assert [row["gain"] for row in settings.gain_rows(rows, "validated")] == pytest.approx([0.01, 0.0101, 0.0102])
    assert [row["gain"] for row in settings.gain_rows(rows, "fresh")] == pytest.approx([4.01, 4.0101, 4.0102])
    assert [row["gain"] for row in settings.gain_rows(rows, "again")] == pytest.approx([0.0, 0.0002, 0.0004])


def test_every_setting_has_a_row_in_the_figure(drawn):
    figure = settings.draw(tables())
    labels = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert labels == ["trained", "one per class", "noisy labels", "rotary", "rotary offset"]
