"""Candidates ranked by a language model behind given demonstrations, beside recommenders that are fitted to the log.

All rank the same candidates of the same users. The language model has read nothing of the log but what is in a prompt.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from experiments.recommendation.language_recommend import prompts
from experiments.recommendation.language_recommend.ask import Asker, by_way
from experiments.recommendation.language_recommend.results import NOTHING, OTHERS, OWN, PRIOR, name_of
from experiments.recommendation.language_recommend.settings import LanguageRecommendation
from experiments.recommendation.recommend.measure import Measured, metrics_of
from experiments.recommendation.recommend.results import SAMPLED, SEED, SPLIT
from experiments.recommendation.recommend.run import Ranking
from experiments.recommendation.recommend.splits import Parts
from trainers.language.opened import open_model, place_of
from trainers.store import Tree
from trainers.study import Part


class LanguageRanking(Ranking):
    """One part per seed and way of splitting its log; each test user's answers are stored on their own."""

    settings: LanguageRecommendation

    def parts(self) -> Sequence[Part]:
        parts = super().parts()
        settings = self.settings
        model, tokenizer = open_model(place_of(settings), settings.lm.dtype, self.record.note)
        self.asker = Asker(model, tokenizer, [prompts.title_of(name) for name in self.names], settings.lm.batch)
        return parts

    def further(self) -> int:
        return self.settings.eval.users

    def beside(self, part: Part, parts: Parts, count: int, slates: np.ndarray) -> dict[str, Measured]:
        """Return what is measured of the language model: {arm and way: its measures}."""
        place, settings = f"seed {part.columns[SEED]}, {part.columns[SPLIT]}", self.settings
        demonstrations = prompts.of_others(
            parts.train, settings.past, settings.demonstrations, [settings.seed, int(part.columns[SEED])]
        )
        texts = {NOTHING: "", OTHERS: self.asker.text(demonstrations)}  # in front of every user
        free = {arm: self.once(f"{place}/free, {arm}", self._free, text, range(count)) for arm, text in texts.items()}
        trees = []
        for user, slate in enumerate(slates):
            free_here = {arm: each["sums"][slate] for arm, each in free.items()}
            films = prompts.watched(parts, user)
            trees.append(self.next_block(f"{place}/user {user}", self._ask, films, slate.tolist(), texts, free_here))
        first_B = np.zeros(len(trees), int)  # the right candidate is the first
        scores = {name: np.stack([tree[name] for tree in trees]) for name in trees[0]}
        return {name: {SAMPLED: metrics_of(each, first_B)} for name, each in scores.items()}

    def _free(self, text: str, candidates: Sequence[int]) -> Tree:
        """Return the log-probabilities (S,) of titles behind demonstrations and a past without content."""
        return {"sums": self.asker.scores(text + prompts.question(prompts.FREE), candidates).sums[0]}

    def _ask(
        self, watched: list[int], slate: list[int], texts: Mapping[str, str], free: Mapping[str, np.ndarray]
    ) -> Tree:
        """Return the numbers (S,) by which each arm and way ranks the candidates of a user.

        Args:
            watched: the user's items, oldest first.
            texts: {arm: demonstrations in front of every user}. free: {arm: what `_free` returns of the candidates}.
        """
        past, count = self.settings.past, self.settings.demonstrations
        own = self.asker.text(prompts.own(watched, past, count))
        numbers = {PRIOR: free[NOTHING]}
        for arm, text in {**texts, OWN: own}.items():
            scores = self.asker.scores(text + self.asker.question(watched[-past:]), slate)
            free_S = free[arm] if arm in free else self._free(text, slate)["sums"]
            numbers |= {name_of(arm, way): each for way, each in by_way(scores, free_S).items()}
        return numbers
