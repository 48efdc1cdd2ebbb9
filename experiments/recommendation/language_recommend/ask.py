"""The log-probabilities of titles behind a prompt, and the scores of candidates by each way to compare them."""

import dataclasses
from collections.abc import Sequence

import numpy as np

from experiments.recommendation.language_recommend import prompts
from experiments.recommendation.language_recommend.prompts import Demonstration
from experiments.recommendation.language_recommend.results import CALIBRATED, MEAN, SUM
from lab.language.model import LanguageModel
from lab.language.scoring import MULTIPLE, Query, Scores, encode, score
from lab.language.tokens import Tokenizer, pieces
from lab.runs import interrupt


@dataclasses.dataclass(frozen=True)
class Asker:
    """A language model that is asked for titles.

    names: of all items. batch: titles that it reads at a time. multiple: to which lengths of titles are padded.
    """

    model: LanguageModel
    tokenizer: Tokenizer
    names: Sequence[str]
    batch: int
    multiple: int = MULTIPLE

    def text(self, demonstrations: Sequence[Demonstration]) -> str:
        """Return the text of demonstrations."""
        named = (([self.names[each] for each in past], self.names[item]) for past, item in demonstrations)
        return "".join(prompts.demonstration(*each) for each in named)

    def question(self, past: Sequence[int]) -> str:
        """Return the text in front of the item that came next after these."""
        return prompts.question([self.names[item] for item in past])

    def scores(self, text: str, candidates: Sequence[int]) -> Scores:
        """Return the log-probabilities (1, S) of the titles of candidates behind a text.

        Raises:
            ConfigError: the text has more tokens than the model has positions, or a title's tokens join those in front.
        """
        interrupt.check()
        answers = [prompts.answer(self.names[item]) for item in candidates]
        encoded = pieces(self.tokenizer, text, answers)
        front = [*self.tokenizer.encode("", special=True), *encoded.prompt]
        history = encode(self.model, front[:-1]) if len(front) > 1 else None
        return score(self.model, [Query(front[-1:], encoded.answers)], history, self.batch, self.multiple)


def by_way(scores: Scores, free_S: np.ndarray) -> dict[str, np.ndarray]:
    """Return the numbers (S,) by which candidates are ranked: {way: numbers}.

    Args:
        scores: of the candidates' titles behind a user's past.
        free_S: log-probabilities of the same titles behind a past without content, subtracted for CALIBRATED.
    """
    return {SUM: scores.sums[0], MEAN: scores.means[0], CALIBRATED: scores.sums[0] - free_S}
