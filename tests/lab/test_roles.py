"""The table of learners."""

import jax
import jax.numpy as jnp
import pytest
from matplotlib.colors import is_color_like

from experiments.regression.comparison import baselines, references, trainees
from lab.config import compose
from lab.config.choices import Baseline
from lab.errors import UserError
from lab.learners import roles
from lab.learners.roles import ROLES, Role, register
from tasks.catalogue import TASKS
from tests.command_line import python
from trainers.population import at, members

KINDS = (baselines.fixed_learners, baselines.changing_learners, baselines.final_learners)
EVERY = (
    [
        "experiment=rag_dot",
        "task.shared=true",
        "model.num_layers=2",
        "baselines.heavy_ball=true",
        "baselines.higher_order=true",
    ],
    ["experiment=tabular"],
    ["experiment=plain", "model.layout=interleaved"],
)


def test_rows_can_be_told_apart():
    for name, role in ROLES.items():
        assert name == role.identifier
        assert is_color_like(role.colour)
        assert role.sentence
    assert len({role.label for role in ROLES.values()}) == len(ROLES)
    assert len({(role.colour, role.line) for role in ROLES.values()}) == len(ROLES)


def names_of(config):
    """The learners of a run's curves and of its end, traced only."""
    population = members([config], TASKS[config.task.name].read([config.task], [config.data]))

    def learners():
        member, result = at((population, references.prepare(config, population)), 0)
        makes = trainees.trainees(config, member, result)
        trained = {name: make(member.key, jnp.ones(())) for name, make in makes.items()}
        return [learners_of(config, member, result, trained) for learners_of in KINDS]

    return {name for group in jax.eval_shape(learners) for name in group}


def test_every_learner_of_a_comparison_has_a_row():
    """Of one that has documents to retrieve from and is held against heavy-ball descent, of one on learned features,
    which also compares boosting, and of one on interleaved tokens."""
    configs = [compose.compose(words) for words in EVERY]
    of_decoders = {"decoder", "optimal"}  # tests/experiments/functions/decoder/test_decoder.py
    of_decoders |= {name.value for name in Baseline} - {"ridge", "least_squares"}  # test_functions.py there
    of_another_loss = {"squared_descent"}  # tests/test_pages.py: a task with a loss of its own
    assert set().union(*map(names_of, configs)) | {"boosting"} | of_another_loss == set(ROLES) - of_decoders


def test_a_learner_of_one_s_own_has_a_row_once(monkeypatch):
    monkeypatch.setattr(roles, "ROLES", dict(ROLES))
    own = Role("shrunk", "shrunk", "#000000", "-", "least squares times a factor")
    register(own)
    assert roles.ROLES["shrunk"] is own
    for taken in (own, Role("ridge", "mine", "#000000", "-", "mine")):
        with pytest.raises(UserError, match=f"^learner {taken.identifier}: this name is taken"):
            register(taken)


def test_the_table_needs_no_jax():
    code = "import sys, lab.learners.roles; assert not any(name.split('.')[0] == 'jax' for name in sys.modules)"
    python("-c", code)
