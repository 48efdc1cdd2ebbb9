"""Candidates ranked by a language model behind demonstrations that it writes itself and a search chooses, and rows of
rounds.csv: means over users by search and round, and paired differences to the start."""

import functools
from collections.abc import Sequence

import jax
import numpy as np

from analysis.metrics.alignment import mean_over_episodes
from analysis.metrics.ranking import difference
from analysis.tables.columns import Rounds
from experiments.recommendation.language_recommend import prompts
from experiments.recommendation.language_recommend.arms import LanguageRanking
from experiments.recommendation.language_recommend.results import GAINS, MEAN, NOTHING, ROUNDS, name_of
from experiments.recommendation.language_recommend.search import KEPT, SEARCHES, Plan
from experiments.recommendation.language_recommend.searched import User, Writing
from experiments.recommendation.recommend.learners import COUNTED
from experiments.recommendation.recommend.measure import Measured, candidates
from experiments.recommendation.recommend.results import SAMPLED
from experiments.recommendation.recommend.splits import Parts
from lab.language.sampling import endings
from tasks.ranking import METRICS
from trainers.store import Tree
from trainers.streams import Stream
from trainers.study import Part, Row, Tables

SIMILARITY = (Rounds.SIMILARITY, f"{Rounds.SIMILARITY}.stderr")
MEANS = (Rounds.VALIDATION, Rounds.NDCG_10, Rounds.EFFECT, Rounds.EXAMPLES, Rounds.COLLAPSED)


class WrittenRanking(LanguageRanking):
    """A search takes the place of given demonstrations, and has a table of its rounds."""

    _rounds: list[Row]  # of the part that `beside` has measured last

    def fitted(self) -> Sequence[str]:
        """Return the names of the recommenders that are fitted: those that are counted."""
        return [*COUNTED]

    @functools.cached_property
    def ends(self) -> np.ndarray:
        """(V,): whether a word ends a title."""
        return endings(self.asker.tokenizer, self.asker.model.arch.vocabulary)

    def measure(self, part: Part) -> Tables:
        return super().measure(part) | {ROUNDS: self._rounds}

    def run(self) -> None:
        super().run()
        self.record.table(ROUNDS, self.tables[ROUNDS])

    def beside(self, part: Part, parts: Parts, count: int, slates: np.ndarray) -> dict[str, Measured]:
        """Return the measures of the start and of both searches at their end, and make the rows of their rounds."""
        settings, (seed, split) = self.settings, part.columns.values()
        written, key = settings.written, self.key(seed, Stream.proposals)
        key_slates, key_users = jax.random.split(key)
        plan = Plan(written.paths, written.rounds, settings.demonstrations, written.threshold)
        writing = Writing(written.proposals, written.tokens, written.temperature, self.ends)
        right_B = np.array([prompts.watched(parts, user)[-1] for user in range(len(slates))])
        validation = candidates(key_slates, right_B, count, settings.negatives)
        trees = []
        for user, pair in enumerate(zip(validation, slates, strict=True)):
            asker_of_user = User(
                self.asker, prompts.watched(parts, user), settings.past, [each.tolist() for each in pair]
            )
            key_user = jax.random.fold_in(key_users, user)
            name = f"seed {seed}, {split}/written, user {user}"
            trees.append(self.next_block(name, asker_of_user.searched, plan, writing, key_user))
        self._rounds = round_rows(trees)
        places = {name_of(NOTHING, MEAN): (KEPT, 0), **{name: (name, -1) for name in SEARCHES}}
        return {
            name: {SAMPLED: {metric: np.array([tree[which][metric][number] for tree in trees]) for metric in METRICS}}
            for name, (which, number) in places.items()
        }


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
