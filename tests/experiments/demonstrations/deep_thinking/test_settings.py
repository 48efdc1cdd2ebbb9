"""Reading again in several settings: the rows that a panel shows."""

import math

import pytest

from analysis.tables.in_memory import Tables
from analysis.tables.select import Row
from experiments.demonstrations.deep_thinking.figures import deep_thinking_settings as settings

PARTS = ("trained", "one_per_class", "noisy_labels", "rotary", "rotary_offset")


def tables():
    """Tables with three seeds per setting, in which other rates and numbers of queries have other gains."""
    protocols = []
    for part in PARTS:
        for seed in range(3):
            gain, place = (0.01 if part == "noisy_labels" else 0.0) + 1e-4 * seed, {"part": part, "seed": seed}
            for eta, beta, scale in ((0.01, 0.9, 1), (0.1, 0.9, -5), (0.01, 0.0, -7)):
                rate = {"eta": eta, "beta": beta}
                protocols.append(place | rate | {"protocol": "validated", "scored": math.nan, "gain": scale * gain})
                protocols += [
                    place | rate | {"protocol": name, "scored": scored, "gain": scale * gain + scored}
                    for name in ("best_per_task", "fresh")
                    for scored in (2.0, 4.0)
                ]
            protocols += [
                place | {"eta": math.nan, "beta": math.nan, "protocol": name, "scored": math.nan, "gain": 2e-4 * seed}
                for name in ("again", "twice", "zero_shot")
            ]
    return Tables(protocols=protocols)


def test_a_panel_shows_the_rate_of_the_source_and_the_most_queries():
    rows = [Row(row) for row in tables().tables["protocols"] if row["part"] == "noisy_labels"]
    assert [row["gain"] for row in settings.gain_rows(rows, "validated")] == pytest.approx([0.01, 0.0101, 0.0102])
    assert [row["gain"] for row in settings.gain_rows(rows, "fresh")] == pytest.approx([4.01, 4.0101, 4.0102])
    assert [row["gain"] for row in settings.gain_rows(rows, "again")] == pytest.approx([0.0, 0.0002, 0.0004])


def test_every_setting_has_a_row_in_the_figure(drawn):
    figure = settings.draw(tables())
    labels = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert labels == ["trained", "one per class", "noisy labels", "rotary", "rotary offset"]
