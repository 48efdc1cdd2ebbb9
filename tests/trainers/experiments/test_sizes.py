"""What is refused as too large, and that no experiment of the lab is."""

import pytest

from lab.config.comparison import Comparison
from lab.config.experiments import experiments
from lab.config.points import point
from lab.errors import ConfigError
from tasks.catalogue import TASKS
from tests.trainers.sessions import settings_of
from trainers.experiments.comparison import sizes


def require(settings):
    (task,) = TASKS[settings.task.name].together([settings.task])
    sizes.require(settings, task)


@pytest.mark.parametrize("name", ["plain", "rag_dot", "rag_linear", "depth_long", "fig5", "shift"])
def test_the_labs_own_experiments_fit(name):
    assert name in experiments()
    for run in point([f"experiment={name}"]).runs:
        assert isinstance(run.settings, Comparison)
        require(run.settings)


@pytest.mark.parametrize(
    "word",
    ["train.batch_size=99999999", "eval.episodes=2000000000", "task.input_dim=99999", "task.num_queries=99999999"],
)
def test_the_largest_value_that_is_named_fits(word):
    with pytest.raises(ConfigError) as error:
        require(settings_of("experiment=plain", word))
    assert str(error.value).startswith(f"{word}: ")
    largest = str(error.value).split()[-1]
    require(settings_of("experiment=plain", f"{word.split('=')[0]}={int(int(largest) * 0.99)}"))
    with pytest.raises(ConfigError):
        require(settings_of("experiment=plain", f"{word.split('=')[0]}={int(int(largest) * 1.01) + 1}"))
