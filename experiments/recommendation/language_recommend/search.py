"""The search for the demonstrations of one user that a language model writes itself [LRGD, section 3.6].

A path has a memory of up to N demonstrations, which is empty at first. In every round a past of the user is drawn, the
model writes K titles behind the memory and that past (stage 1), and each makes a proposal: the memory with one more
demonstration, in place of any of them where there are N. Effect_D of the user's validation item (stage 2) decides: the
best proposal becomes the memory if its Effect_D is higher, or equal with a higher mean log-probability of the right
title. So a memory is never worse by Effect_D than before.

The similarity of a round is the Jaccard index of the words of a path's memory and those of the round before. If it is
above a threshold, the path has collapsed. A perturbed search then takes a demonstration of a random other path of the
same user into what the next round proposes from, and proposes that, too.

No title of the log is known here but those of the pasts that are given.
"""

import dataclasses
from collections.abc import Callable, Sequence

import jax

KEPT, PERTURBED = SEARCHES = ("kept", "perturbed")  # as it is; with another path's demonstration after a collapse


@dataclasses.dataclass(frozen=True)
class Written:
    """A demonstration: titles that the user watched, the title that a model wrote behind them, and the path."""

    past: tuple[str, ...]
    title: str
    path: int


Memory = tuple[Written, ...]
Score = tuple[float, float]  # Effect_D of the validation item, and the mean log-probability of its title
Write = Callable[[Memory, Sequence[str], jax.Array], Sequence[str]]  # memory, past, key -> titles
Judge = Callable[[Memory], Score]


@dataclasses.dataclass(frozen=True)
class Plan:
    """The numbers of a search: paths, rounds, N demonstrations, and the similarity above which a path has collapsed."""

    paths: int
    rounds: int
    demonstrations: int
    threshold: float


@dataclasses.dataclass(frozen=True)
class Round:
    """The state of all paths behind a round; similarity and has_collapsed are empty for the start."""

    memories: tuple[Memory, ...]
    scores: tuple[Score, ...]
    similarity: tuple[float, ...] = ()
    has_collapsed: tuple[bool, ...] = ()

    @property
    def best(self) -> int:
        """The path that is best on validation, the first of equals."""
        return max(range(len(self.scores)), key=lambda path: self.scores[path])


def search(
    plan: Plan, pasts: Sequence[Sequence[str]], write: Write, judge: Judge, key: jax.Array, is_perturbed: bool
) -> list[Round]:
    """Return the start and all rounds of a search.

    Args:
        pasts: titles in front of which nothing of validation or test stands, of which each round draws.
        key: with the same key a perturbed search is the unperturbed until a path has collapsed.
    """
    rounds = [Round(((),) * plan.paths, (judge(()),) * plan.paths)]
    for number in range(plan.rounds):
        last, keys_P = rounds[-1], jax.random.split(jax.random.fold_in(key, number), plan.paths)
        memories, scores = [], []
        for path, memory in enumerate(last.memories):
            key_past, key_write, key_place, key_other = jax.random.split(keys_P[path], 4)
            base, proposals = memory, []
            others = _of_others(last.memories, path)
            if is_perturbed and others and last.has_collapsed and last.has_collapsed[path]:
                base = _with(memory, others[_drawn(key_other, len(others))], plan.demonstrations, key_place)
                proposals.append(base)
            past = pasts[_drawn(key_past, len(pasts))]
            for title in dict.fromkeys(write(base, past, key_write)):
                proposals.append(_with(base, Written(tuple(past), title, path), plan.demonstrations, key_place))
            score = last.scores[path]
            for proposal in proposals:
                if (its := judge(proposal)) > score:
                    memory, score = proposal, its
            memories.append(memory)
            scores.append(score)
        alike = tuple(similarity(*pair) for pair in zip(memories, last.memories, strict=True))
        collapsed = tuple(number > 0 and each > plan.threshold for each in alike)  # in the first all were empty before
        rounds.append(Round(tuple(memories), tuple(scores), alike, collapsed))
    return rounds


def similarity(one: Memory, other: Memory) -> float:
    """Return |A and B| / |A or B| of the different words of two memories, in lower case; 1 where both are empty."""
    a, b = ({word for each in memory for word in words(each)} for memory in (one, other))
    return len(a & b) / len(a | b) if a | b else 1.0


def words(demonstration: Written) -> list[str]:
    """Return the words of a demonstration's titles, of the past and the written one."""
    return [word for title in (*demonstration.past, demonstration.title) for word in title.lower().split()]


def _of_others(memories: Sequence[Memory], path: int) -> list[Written]:
    """Return the demonstrations that other paths have, that this one did not write, and that it does not have."""
    others = (each for other, memory in enumerate(memories) if other != path for each in memory)
    return [each for each in others if each.path != path and each not in memories[path]]


def _with(memory: Memory, new: Written, most: int, key: jax.Array) -> Memory:
    """Return a memory with a demonstration behind it, or in place of any one of them where there are as many."""
    if len(memory) < most:
        return (*memory, new)
    place = _drawn(key, most)
    return (*memory[:place], new, *memory[place + 1 :])


def _drawn(key: jax.Array, count: int) -> int:
    return int(jax.random.randint(key, (), 0, count))
