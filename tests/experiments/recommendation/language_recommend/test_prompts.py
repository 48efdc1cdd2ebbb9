"""The text of a prompt, and that no demonstration has the item to predict."""

import pytest

from experiments.recommendation.language_recommend import prompts
from experiments.recommendation.recommend.splits import SPLITS
from lab.config.choices import Split
from tasks.item_sequences import PADDING
from tests.experiments.recommendation.language_recommend.logs import of_different_items


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("Crow, The (1994) [68]", "The Crow"),
        ("2001: A Space Odyssey (1968) [135]", "2001: A Space Odyssey"),
        ("American in Paris, An (1951) [516]", "An American in Paris"),
        ("Seven (Se7en) (1995) [11]", "Seven (Se7en)"),
        ("1984", "1984"),
        ("[267]", "[267]"),  # a film without a title
        ("red shoes", "red shoes"),
    ],
)
def test_a_title_is_written_as_one_says_it(name, title):
    assert prompts.title_of(name) == title


def test_the_users_own_past_is_cut_before_each_item():
    assert prompts.own([1, 2, 3, 4, 5], 2, 3) == [([1, 2], 3), ([2, 3], 4), ([3, 4], 5)]
    assert prompts.own([1, 2], 5, 3) == [([1], 2)]
    assert prompts.own([1], 5, 3) == []


@pytest.mark.parametrize("split", [*Split])
def test_nothing_of_the_test_is_in_a_prompt(split):
    """Every item of a user is another one here, so the one to predict, and all after it, can be looked for."""
    parts = SPLITS[split](of_different_items([4, 7, 3, 9, 5]), 0.4)
    learned = {item for row in parts.train for item in row if item != PADDING}
    for user, target in enumerate(parts.target):
        watched = prompts.watched(parts, user)
        assert watched
        assert max(watched) < target, "a user's items are numbered by time"
        shown = [*watched[-3:], *(each for past, item in prompts.own(watched, 3, 4) for each in (*past, item))]
        assert target not in shown
    for past, item in prompts.of_others(parts.train, 3, 2, [0]):
        assert {*past, item} <= learned
        assert not {*past, item} & {*parts.target.tolist()}
