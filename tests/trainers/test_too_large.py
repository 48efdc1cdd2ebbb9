"""What a machine cannot compute is refused in one line that names the key to lower, before anything is allocated."""

import dataclasses
import resource

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lab.config.largest import to_lower
from lab.config.points import point
from lab.errors import NoMemory, TooLarge
from lab.runs import machine, memory
from tests.command_line import TINY, check_refused, command, lab_here, python
from trainers import programs
from trainers.traced import size_of

IDENTITIES = ["experiment=dual_form", "topics=[linear]"]

TOO_LARGE = {
    "a loop: memory": ["experiment=plain", *TINY, "task.input_dim=90000"],
    "a loop: the episodes of a batch": ["experiment=plain", "train.batch_size=1000000000"],
    "a loop: the answers to test episodes": ["experiment=plain", *TINY, "eval.episodes=2000000000"],
    "a decoder": ["experiment=shifted_classes", "model.width=1000000"],
    "a decoder's prompts": ["experiment=shifted_classes", "task.num_context=300000"],
    "a study: arrays outside of sessions": [*IDENTITIES, "cases=2000000000"],
    "a study: inputs": ["experiment=demonstrations", "learner=decoder", "model.width=1000000"],
}
SLOW = ("a decoder's prompts", "a loop: memory", "a loop: the answers to test episodes")
CASES = [pytest.param(words, id=name, marks=[pytest.mark.slow] * (name in SLOW)) for name, words in TOO_LARGE.items()]


@pytest.mark.parametrize("words", CASES)
def test_what_is_too_large_is_refused(words, tmp_path):
    """In a line that names the key. Nothing of it was allocated: a run has a third of a gigabyte by itself."""
    done = lab_here(*words, cwd=tmp_path)
    check_refused(done, f"error: {words[-1]}: ")
    assert done.stderr.endswith("; lower it\n")
    assert not [*tmp_path.glob("runs/*/*/DONE")]


@pytest.mark.slow
def test_nothing_is_allocated_for_it(tmp_path):
    """The most memory that the process of a refused command ever had is what JAX and the lab take."""
    words = TOO_LARGE["a study: arrays outside of sessions"]
    program = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], capture_output=True);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = python("-c", program, *command(*words), cwd=tmp_path)
    assert 1024 * int(done.stdout) < 1.5e9


def test_a_sweep_whose_first_point_is_too_large_does_not_begin(tmp_path):
    words = [*IDENTITIES, "grid=['cases=2000000000,2']"]
    check_refused(lab_here(*words, cwd=tmp_path), "cases=2000000000: ")
    assert not [*tmp_path.glob("runs/*/*/DONE")]


@pytest.mark.slow
def test_a_later_point_that_is_too_large_fails_alone(tmp_path):
    words = [*IDENTITIES, "grid=['cases=2,2000000000']"]
    done = lab_here(*words, cwd=tmp_path)
    check_refused(done, "1 of 2 points failed, the others are kept: cases=2000000000: ")


@pytest.fixture
def listening(monkeypatch):
    """Programs are refused, and those of the tests before are forgotten; no limit of the process is changed."""
    monkeypatch.setattr(resource, "setrlimit", lambda *_: None)
    memory.refuse_large_programs()


def test_a_program_is_refused_as_soon_as_it_is_compiled(listening, monkeypatch):
    """By what XLA says it takes, beside what the process has already; with the axes of its largest array."""
    monkeypatch.setattr(machine, "used_bytes", lambda: 1000)

    def squares(x):
        return jnp.sum(jnp.sort(jnp.outer(x, x), axis=None))  # the outer product is kept: 300 x 300 numbers

    monkeypatch.setattr(memory, "all_bytes", lambda: 1000 + 4 * 300**2)
    with pytest.raises(NoMemory) as error:
        jax.jit(squares)(jnp.ones(300))
    assert set(error.value.lengths) <= {300, 300**2}
    monkeypatch.setattr(memory, "all_bytes", lambda: 1000 + 4 * 4 * 300**2)
    assert jax.jit(lambda x: 1 * squares(x))(jnp.ones(300)) == 300**2
    with memory.only_compiling():
        monkeypatch.setattr(memory, "all_bytes", lambda: 1000)
        jax.jit(lambda x: 2 * squares(x)).lower(jnp.ones(300)).compile()


def test_a_program_is_looked_at_once(listening, monkeypatch):
    """When it is new, and it is to be run: later the process has other memory."""
    looked_at = []
    monkeypatch.setattr(memory, "refuse_program", lambda *_: looked_at.append(1))
    x = jnp.ones(7)
    looked_at.clear()
    first = jax.jit(lambda x: 3 * x).lower(x).compile()
    with memory.only_compiling():
        second = jax.jit(lambda x: 4 * x).lower(x).compile()
    assert len(looked_at) == 1
    third = jax.jit(lambda x: 5 * x).lower(x).compile()
    assert len(looked_at) == 2
    del first, second, third
    for factor in range(20):  # some lie where one before lay
        jax.jit(lambda x, factor=factor: (6 + factor) * x).lower(x).compile()
    assert len(looked_at) == 22


@dataclasses.dataclass
class Batch:
    """Stands for episodes."""

    x: jax.Array

    @property
    def batch_size(self) -> int:
        return len(self.x)


jax.tree_util.register_dataclass(Batch, ["x"], [])


def squares_of(batch: Batch) -> jax.Array:
    return batch.x @ batch.x.T


def test_evaluations_are_divided_by_the_memory_that_refuses_them(monkeypatch):
    """A container's, of a machine that has much more."""
    batch = Batch(jnp.ones((100, 50)))
    monkeypatch.setattr(machine, "used_bytes", lambda: 0)
    monkeypatch.setattr(machine, "memory_bytes", lambda: 4 * 100**2)  # the results alone
    at_a_time = programs.Programs(programs.Stopwatch(), chunk=0).fit("squares", squares_of, batch)
    assert 20 <= at_a_time <= 50


def test_an_evaluation_that_takes_hours_is_refused(monkeypatch):
    """Unless it is divided: then its parts are looked at, each by itself."""
    batch = Batch(jnp.ones((100, 50)))
    monkeypatch.setattr(programs, "RATE", 1.0)
    monkeypatch.setattr(machine, "cores", lambda: 1)
    monkeypatch.setattr(programs, "SILENCE", 0.9 * 100 * 100 * 50)
    with pytest.raises(TooLarge) as error:
        programs.Programs(programs.Stopwatch(), chunk=0).fit("squares", squares_of, batch)
    assert error.value.lengths in {(100, 100), (100, 50)}
    monkeypatch.setattr(memory, "memory_to_divide", lambda: 4 * 100**2)
    assert programs.Programs(programs.Stopwatch(), chunk=0).fit("squares", squares_of, batch) < 100


@pytest.mark.parametrize("is_command_line", [False, True])
def test_the_limits_of_a_notebook_stay_its_own(is_command_line, monkeypatch):
    """Also those of the processes that it starts: they inherit its limits."""
    changed = []
    monkeypatch.setattr(resource, "setrlimit", lambda *limit: changed.append(limit))
    monkeypatch.setattr(jax.monitoring, "register_event_duration_secs_listener", lambda _: None)
    monkeypatch.setattr(memory, "_listening", [])
    monkeypatch.setattr(machine, "is_command_line", is_command_line)
    memory.refuse_large_programs()
    assert bool(changed) == is_command_line


def test_what_only_numpy_asks_for_is_one_line():
    with pytest.raises(NoMemory) as error, memory.enough_memory():
        np.zeros(10**15)
    assert error.value.lengths == (10**15,)


def test_the_operations_of_a_traced_program():
    """Products have multiply-adds, and the body of a loop counts as often as it is run."""

    def loop(x):
        return jax.lax.scan(lambda carry, _: (carry @ x, None), x, length=7)[0]

    size = size_of(jax.jit(loop).trace(jnp.ones((30, 30))))
    assert size.operations == pytest.approx(7 * 30**3, rel=0.05)
    assert size.lengths == (30, 30)


@pytest.mark.parametrize(
    ("words", "lengths", "word"),
    [
        (["train.steps=90000000", "task.num_context=5000"], (64, 10_001, 20), "task.num_context=5000"),
        (["train.steps=90000000", "task.num_context=5000"], (), "train.steps=90000000"),
        (["seed=2000000000", "eval.episodes=90000"], (2_000_000_000,), "eval.episodes=90000"),
        (["shift.num_context=[5,70000]"], (70_000, 11), "shift.num_context=70000"),
    ],
)
def test_the_key_to_lower(words, lengths, word):
    """The one that an axis comes from; without one the number that is furthest above its default."""
    assert to_lower(point(["experiment=plain", *words]).settings, lengths) == word
