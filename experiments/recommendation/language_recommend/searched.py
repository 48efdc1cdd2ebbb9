"""The search of `search.py` with a language model that writes titles, ranks a user's validation item by them, and in
every round the test item, which decides nothing.

The validation item is the user's last one before the test item. Candidates are ranked by the mean log-probability of
their titles. Numbers of one text are asked for once, so both searches of a user share those of equal prompts.
"""

import dataclasses
from collections.abc import Sequence

import jax
import numpy as np

from analysis.tables.columns import Rounds
from experiments.recommendation.language_recommend import prompts
from experiments.recommendation.language_recommend.ask import Asker
from experiments.recommendation.language_recommend.search import PERTURBED, SEARCHES, Memory, Plan, Score, search
from experiments.recommendation.recommend.measure import metrics_of
from lab.language.sampling import sample
from tasks.ranking import METRICS
from trainers.store import Tree

SHORT = 8  # tokens, to multiples of which titles are padded: most of MovieLens have no more


@dataclasses.dataclass(frozen=True)
class Query:
    """An item to rank: the titles of what the user watched before, the latest ones, and candidates, the right first."""

    past: tuple[str, ...]
    slate: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class Writing:
    """Titles are written so many at a time, of at most so many tokens. ends_V: words that end a title."""

    proposals: int
    most: int
    temperature: float
    ends_V: np.ndarray


class User:
    """One user, of whom a language model is asked."""

    def __init__(self, asker: Asker, watched: Sequence[int], past: int, slates: Sequence[Sequence[int]]):
        """
        Args:
            watched: the user's items before the test item, oldest first; the last one is for validation.
            past: items that are shown of a past.
            slates: the candidates of validation and test.
        """
        named = [asker.names[item] for item in watched]
        earlier = named[:-1]
        self.asker = dataclasses.replace(asker, multiple=SHORT)
        self._known: dict[tuple[str, Query], np.ndarray] = {}
        self.validation = Query(tuple(earlier[-past:]) or prompts.FREE, tuple(slates[0]))
        self.test = Query(tuple(named[-past:]), tuple(slates[1]))
        self.pasts = [earlier[max(end - past, 0) : end] for end in range(1, len(named))] or [prompts.FREE]

    def means(self, memory: Memory, query: Query) -> np.ndarray:
        """Return the mean log-probabilities (S,) of the candidates' titles behind a memory and the query's past."""
        text = text_of(memory) + prompts.question(query.past)
        if (text, query) not in self._known:
            self._known[text, query] = self.asker.scores(text, query.slate).means[0]
        return self._known[text, query]

    def judge(self, memory: Memory) -> Score:
        """Return Effect_D of the validation item, and the mean log-probability of its title."""
        means_S = self.means(memory, self.validation)
        return float(measures(means_S)[Rounds.EFFECT]), float(means_S[0])

    def write(self, memory: Memory, past: Sequence[str], key: jax.Array, writing: Writing) -> list[str]:
        """Return titles that the model writes behind a memory and a past, without empty ones."""
        tokenizer = self.asker.tokenizer
        text = text_of(memory) + prompts.question(past)
        tokens = [*tokenizer.encode("", special=True), *tokenizer.encode(text)]
        continuations = sample(
            self.asker.model, tokens, writing.ends_V, key, writing.proposals, writing.most, writing.temperature
        )
        written = (" ".join(tokenizer.decode(each).split()) for each in continuations)
        return [title for title in written if title]

    def searched(self, plan: Plan, writing: Writing, key: jax.Array) -> Tree:
        """Return {search: {column: (rounds + 1,)}} of the path that is best on validation, the start first.

        Columns are all of `ranking.METRICS` of the test item, and those of `Rounds`; similarity is NaN at the start and
        in the first round.
        """

        titles_by_place = {}

        def write(memory: Memory, past: Sequence[str], key: jax.Array) -> list[str]:
            place = memory, tuple(past), jax.random.key_data(key).tobytes()
            if place not in titles_by_place:
                titles_by_place[place] = self.write(memory, past, key, writing)
            return titles_by_place[place]

        tree = {}
        for name in SEARCHES:
            rounds = search(plan, self.pasts, write, self.judge, key, name == PERTURBED)
            of_test = [measures(self.means(each.memories[each.best], self.test)) for each in rounds]
            columns = {metric: np.array([each[metric] for each in of_test]) for metric in METRICS}
            columns[Rounds.VALIDATION] = np.array([each.scores[each.best][0] for each in rounds])
            columns[Rounds.EXAMPLES] = np.array([len(each.memories[each.best]) for each in rounds], float)
            alike = [np.mean(each.similarity) for each in rounds[2:]]
            columns[Rounds.SIMILARITY] = np.array([np.nan, np.nan, *alike])
            columns[Rounds.COLLAPSED] = np.array([np.mean(each.has_collapsed or 0.0) for each in rounds])
            tree[name] = columns
        return tree


def text_of(memory: Memory) -> str:
    """Return the text of demonstrations."""
    return "".join(prompts.demonstration(each.past, each.title) for each in memory)


def measures(scores_S: np.ndarray) -> dict[str, float]:
    """Return {name: value} of `ranking.METRICS` of the first candidate."""
    return {name: float(each[0]) for name, each in metrics_of(scores_S[None], np.zeros(1, int)).items()}
