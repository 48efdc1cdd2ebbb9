"""Rows of rounds.csv: means over users by search and round, and paired differences to the start."""

from collections.abc import Sequence

import numpy as np

from analysis.metrics.alignment import mean_over_episodes
from analysis.metrics.ranking import difference
from analysis.tables.columns import Rounds
from experiments.recommendation.language_recommend.results import GAINS
from experiments.recommendation.language_recommend.search import SEARCHES
from trainers.part_store import Tree

SIMILARITY = (Rounds.SIMILARITY, f"{Rounds.SIMILARITY}.stderr")
MEANS = (Rounds.VALIDATION, Rounds.NDCG_10, Rounds.EFFECT, Rounds.EXAMPLES, Rounds.COLLAPSED)


def round_rows(users: Sequence[Tree]) -> list[dict]:
    """Return one row per search and round, of which 0 is the start, from what `searched.User.searched` returns."""
    rows = []
    for name in SEARCHES:
        values = {column: np.stack([user[name][column] for user in users]) for column in users[0][name]}
        for number in range(values[Rounds.NDCG_10].shape[1]):
            row = {Rounds.METHOD: name, Rounds.ROUND: number}
            for column in MEANS:
                row |= mean_over_episodes(column, values[column][:, number])
            for column, gain in GAINS.items():
                row |= difference(gain, values[column][:, number], values[column][:, 0])
            alike_B = values[Rounds.SIMILARITY][:, number]
            is_known = bool(np.isfinite(alike_B).all())
            row |= mean_over_episodes(Rounds.SIMILARITY, alike_B) if is_known else dict.fromkeys(SIMILARITY)
            rows.append({str(column): value for column, value in row.items()})
    return rows
