"""`language_recommend`: candidates ranked by a language model, beside recommenders that are fitted to the log.

All rank the same candidates of the same users. The language model has read nothing of the log but what is in a prompt.
"""

import functools
from collections.abc import Mapping, Sequence

import jax
import numpy as np

from experiments.recommendation.language_recommend import pasts, titles
from experiments.recommendation.language_recommend.ask import Asker, by_way
from experiments.recommendation.language_recommend.results import MEAN, NOTHING, OTHERS, OWN, PRIOR, ROUNDS, name_of
from experiments.recommendation.language_recommend.rounds import round_rows
from experiments.recommendation.language_recommend.search import KEPT, SEARCHES, Plan
from experiments.recommendation.language_recommend.searched import User, Writing
from experiments.recommendation.language_recommend.settings import LanguageRecommendation
from experiments.recommendation.recommend.learners import COUNTED
from experiments.recommendation.recommend.measure import Measured, candidates, metrics_of
from experiments.recommendation.recommend.results import SAMPLED, SEED, SPLIT
from experiments.recommendation.recommend.run import Ranking
from experiments.recommendation.recommend.splits import Parts
from lab.language.sampling import endings
from tasks.ranking import METRICS
from trainers.language.opened import check_model, open_model, place_of
from trainers.part_store import Tree
from trainers.streams import Stream
from trainers.study import Part, Row, Tables


def check(settings: LanguageRecommendation) -> None:
    """Refuse a model that cannot be read (ConfigError)."""
    check_model(settings, "language_model")


class LanguageRanking(Ranking):
    """One part per seed and way of splitting its log; each test user's answers are stored on their own."""

    settings: LanguageRecommendation

    def parts(self) -> Sequence[Part]:
        parts = super().parts()
        settings = self.settings
        model, tokenizer = open_model(place_of(settings), settings.lm.dtype, self.record.note)
        self.asker = Asker(model, tokenizer, [titles.title_of(name) for name in self.names], settings.lm.batch)
        return parts

    def fitted(self) -> Sequence[str]:
        """Return the names of the recommenders that are fitted: beside a search, those that are counted."""
        return [*COUNTED] if self.settings.written.rounds else super().fitted()

    @functools.cached_property
    def ends(self) -> np.ndarray:
        """(V,): whether a word ends a title."""
        return endings(self.asker.tokenizer, self.asker.model.arch.vocabulary)

    def further(self) -> int:
        return self.settings.eval.users

    def measure(self, part: Part) -> Tables:
        self._rounds: list[Row] = []
        tables = super().measure(part)
        return tables | ({ROUNDS: self._rounds} if self._rounds else {})

    def run(self) -> None:
        super().run()
        if ROUNDS in self.tables:
            self.record.table(ROUNDS, self.tables[ROUNDS])

    def beside(self, part: Part, parts: Parts, count: int, slates: np.ndarray) -> dict[str, Measured]:
        """Return what is measured of the language model: {arm and way, or search: its measures}."""
        if self.settings.written.rounds:
            return self._written(part, parts, count, slates)
        place, settings = f"seed {part.columns[SEED]}, {part.columns[SPLIT]}", self.settings
        demonstrations = pasts.of_others(
            parts.train, settings.past, settings.demonstrations, [settings.seed, int(part.columns[SEED])]
        )
        texts = {NOTHING: "", OTHERS: self.asker.text(demonstrations)}  # in front of every user
        free = {
            arm: self.once(f"{place}/free, {arm}", functools.partial(self._free, text, range(count)))
            for arm, text in texts.items()
        }
        trees = []
        for user, slate in enumerate(slates):
            free_here = {arm: each["sums"][slate] for arm, each in free.items()}
            measure = functools.partial(self._ask, pasts.watched(parts, user), slate.tolist(), texts, free_here)
            trees.append(self.once(f"{place}/user {user}", measure))
            self.go_on()
        first_B = np.zeros(len(trees), int)  # the right candidate is the first
        scores = {name: np.stack([tree[name] for tree in trees]) for name in trees[0]}
        return {name: {SAMPLED: metrics_of(each, first_B)} for name, each in scores.items()}

    def _written(self, part: Part, parts: Parts, count: int, slates: np.ndarray) -> dict[str, Measured]:
        """Return what is measured of the start and of both searches at their end, and make the rows of their rounds."""
        settings, (seed, split) = self.settings, part.columns.values()
        written, key = settings.written, self.key(seed, Stream.proposals)
        key_slates, key_users = jax.random.split(key)
        plan = Plan(written.paths, written.rounds, settings.demonstrations, written.threshold)
        writing = Writing(written.proposals, written.tokens, written.temperature, self.ends)
        right_B = np.array([pasts.watched(parts, user)[-1] for user in range(len(slates))])
        validation = candidates(key_slates, right_B, count, settings.negatives)
        trees = []
        for user, pair in enumerate(zip(validation, slates, strict=True)):
            asker_of_user = User(
                self.asker, pasts.watched(parts, user), settings.past, [each.tolist() for each in pair]
            )
            key_user = jax.random.fold_in(key_users, user)
            measure = functools.partial(asker_of_user.searched, plan, writing, key_user)
            trees.append(self.once(f"seed {seed}, {split}/written, user {user}", measure))
            self.go_on()
        self._rounds = round_rows(trees)
        places = {name_of(NOTHING, MEAN): (KEPT, 0), **{name: (name, -1) for name in SEARCHES}}
        return {
            name: {SAMPLED: {metric: np.array([tree[which][metric][number] for tree in trees]) for metric in METRICS}}
            for name, (which, number) in places.items()
        }

    def _free(self, text: str, candidates: Sequence[int]) -> Tree:
        """Return the log-probabilities (S,) of titles behind demonstrations and a past without content."""
        return {"sums": self.asker.scores(text + titles.question(titles.FREE), candidates).sums[0]}

    def _ask(
        self, watched: list[int], slate: list[int], texts: Mapping[str, str], free: Mapping[str, np.ndarray]
    ) -> Tree:
        """Return the numbers (S,) by which each arm and way ranks the candidates of a user.

        Args:
            watched: the user's items, oldest first.
            texts: {arm: demonstrations in front of every user}. free: {arm: what `_free` returns of the candidates}.
        """
        past, count = self.settings.past, self.settings.demonstrations
        own = self.asker.text(pasts.own(watched, past, count))
        numbers = {PRIOR: free[NOTHING]}
        for arm, text in {**texts, OWN: own}.items():
            scores = self.asker.scores(text + self.asker.question(watched[-past:]), slate)
            free_S = free[arm] if arm in free else self._free(text, slate)["sums"]
            numbers |= {name_of(arm, way): each for way, each in by_way(scores, free_S).items()}
        return numbers


run = LanguageRanking.run_each
