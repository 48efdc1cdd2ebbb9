"""The kind `more_steps`: a tiny run with the Transformers it starts from."""

import pytest
import yaml

from tests.run_files import table

pytestmark = pytest.mark.slow  # whole experiments


def test_every_application_is_measured(folder):
    rows = table(folder, "applications")
    places = {tuple(row[key] for key in ("layers", "seed", "damping", "learner", "applications")) for row in rows}
    assert len(places) == len(rows) == 2 * 2 * 3 * 3 * 10
    assert all(float(row["loss"]) > 0 for row in rows)


def test_as_often_as_in_training_it_is_the_trained_transformer(folder):
    """Its rates are those of the comparisons that it starts from, whose episodes are other ones."""
    rates = {(row["layers"], row["seed"]): float(row["eta"]) for row in table(folder, "rates")}
    assert rates.keys() == {(layers, seed) for layers in "12" for seed in "01"}
    for name in yaml.safe_load((folder / "config.yaml").read_text())["made_from"]:
        other = folder.parent.parent / "plain" / name
        layers = str(1 + ("num_layers: 2" in (other / "config.yaml").read_text()))
        for row in table(other, "learners"):
            if row["learner"] == "gradient_descent":
                mean = sum(rates[layers, seed] for seed in "01") / 2
                summary = (other / "summary.json").read_text()
                assert f'"eta": {mean:.5f}'[:-1] in summary
