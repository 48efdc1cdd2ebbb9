"""The search for written demonstrations, with writers and judges that are made by hand."""

import hashlib
import itertools

import jax
import pytest

from experiments.recommendation.language_recommend.search import Plan, Written, search, similarity

PASTS = [("one",), ("one", "two"), ("two", "three")]


def titles(*names):
    """A writer that draws two of these names."""

    def write(memory, past, key):
        assert tuple(past) in PASTS
        return [names[int(each)] for each in jax.random.randint(key, (2,), 0, len(names))]

    return write


def new_titles(memory, past, key):
    """A writer that never writes the same title twice."""
    return [f"{int(each)}" for each in jax.random.randint(key, (2,), 0, 2**30)]


def any_score(memory):
    """Effect_D and log-probability that are as good as random, but the same for the same memory."""
    digest = hashlib.sha256(repr(memory).encode()).digest()
    return 1 / (1 + digest[0] % 4), -digest[1] / 256


def found(plan, judge, write, is_perturbed, seed=0):
    return search(plan, PASTS, write, judge, jax.random.key(seed), is_perturbed)


@pytest.mark.parametrize("is_perturbed", [False, True])
def test_the_best_demonstrations_are_found(is_perturbed):
    """Of five titles two are good, and both together are best."""

    def judge(memory):
        return 0.2 + 0.4 * len({each.title for each in memory} & {"b", "d"}), 0.0

    rounds = found(Plan(2, 12, 2, 0.6), judge, titles(*"abcde"), is_perturbed)
    assert {each.title for each in rounds[-1].memories[rounds[-1].best]} == {"b", "d"}
    assert rounds[0].scores == ((0.2, 0.0),) * 2


def test_of_equal_effects_the_likelier_title_decides():
    def judge(memory):
        return 0.5, {"": -3.0, "a": -2.0, "b": -1.0}.get("".join(each.title for each in memory), -4.0)

    rounds = found(Plan(1, 8, 1, 0.6), judge, titles("a", "b", "c"), False)
    assert [each.title for each in rounds[-1].memories[0]] == ["b"]


@pytest.mark.parametrize("is_perturbed", [False, True])
def test_a_memory_is_never_worse_than_before(is_perturbed):
    plan = Plan(3, 8, 3, 0.3)
    changed = 0
    for seed in range(3):
        rounds = found(plan, any_score, titles(*"abcdefgh"), is_perturbed, seed)
        assert len(rounds) == 1 + plan.rounds
        for earlier, later in itertools.pairwise(rounds):
            changed += sum(a != b for a, b in zip(earlier.memories, later.memories, strict=True))
            assert all(a <= b for a, b in zip(earlier.scores, later.scores, strict=True))
            assert all(score == any_score(memory) for score, memory in zip(later.scores, later.memories, strict=True))
        assert all(len(memory) <= plan.demonstrations for each in rounds for memory in each.memories)
    assert changed > 10


def test_a_perturbed_path_gets_what_another_path_of_the_same_user_has():
    """And only in the round behind a collapse. Unperturbed paths have none but their own."""
    plan, foreign = Plan(3, 8, 3, 0.3), 0
    for seed in range(4):
        for each in found(plan, any_score, new_titles, False, seed):
            for path, memory in enumerate(each.memories):
                assert {own.path for own in memory} <= {path}
        rounds, seen = found(plan, any_score, new_titles, True, seed), set()
        for earlier, later in itertools.pairwise(rounds):
            seen |= {one for memory in earlier.memories for one in memory}
            for path, memory in enumerate(later.memories):
                new = [one for one in memory if one not in earlier.memories[path]]
                added = [one for one in new if one in seen]
                foreign += len(added)
                assert {one.path for one in new if one not in seen} <= {path}
                assert len(added) <= 1
                if added:
                    assert earlier.has_collapsed[path]
                    assert added[0].path != path
                    assert any(added[0] in each for each in earlier.memories)
    assert foreign > 3


def test_without_a_collapse_both_searches_are_the_same():
    of_both = [found(Plan(2, 6, 3, 1.0), any_score, titles(*"abcdefgh"), each) for each in (False, True)]
    assert of_both[0] == of_both[1]


def test_similarity_is_the_share_of_common_words():
    one = (Written(("The Crow",), "the Rock", 0),)  # the crow rock
    two = (Written(("The Rock", "Big"), "Alien", 1),)  # the rock big alien
    assert similarity(one, two) == 2 / 5
    assert similarity(one, one) == 1
    assert similarity(one, ()) == 0
    assert similarity((), ()) == 1


def test_a_path_collapses_above_the_threshold_from_the_second_round_on():
    rounds = found(Plan(2, 4, 2, 0.5), any_score, titles("a", "b"), False)
    assert rounds[0].similarity == rounds[0].has_collapsed == ()
    assert rounds[1].has_collapsed == (False, False)
    for earlier, each in itertools.pairwise(rounds[1:]):
        alike = [similarity(*pair) for pair in zip(each.memories, earlier.memories, strict=True)]
        assert list(each.similarity) == alike
        assert list(each.has_collapsed) == [one > 0.5 for one in alike]
    assert any(any(each.has_collapsed) for each in rounds)
