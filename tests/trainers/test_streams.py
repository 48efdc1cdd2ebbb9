"""Keys of random numbers: each comes from a stream with a name, and no test episode is drawn as a training step is."""

import ast
import inspect
import pathlib
import re

import jax
import numpy as np
import pytest

from tasks import catalogue
from tasks.task import Task
from tests.command_line import lab_here
from tests.compiled import own_programs
from tests.tiny_runs import prepared, words_of
from trainers.streams import Stream, key_of

ROOT = pathlib.Path(__file__).parents[2]
FILES = [path for folder in ("trainers", "experiments") for path in sorted(ROOT.glob(f"{folder}/**/*.py"))]
MAKES_KEYS = {  # files that make a key from a number by themselves, and why
    "trainers/streams.py": "here the streams get their keys",
    "trainers/population.py": "the key of a run, which `Member.stream` folds, and a shape without any number",
    "experiments/demonstrations/demonstrations/run.py": "the key of a run, for a session",
    "trainers/language/small.py": "the key of a run, for a session",
    "experiments/clicks/click_log/session.py": "the key of a run, for a session",
    "experiments/duals/momentum_attention/run.py": "the key of a run, for a session",
    "experiments/compare.py": "the keys of its seeds, for trainings without a run",
    "experiments/keep_models.py": "episodes for a page, on models without a run",
    "experiments/online/beside.py": "the key of a run, for a session",
    "experiments/recommendation/recommend/run.py": "the key of a run, for a session",
    "trainers/decoders/evaluation.py": "a shape, without any number",
    "experiments/regression/plateau/run.py": "the key of a run, as a comparison's",
    "experiments/regression/plateau/kept.py": "the keys of kept runs, whose initial weights are made again",
    "trainers/train.py": "a shape, without any number",
    "experiments/functions/functions/baselines.py": "a baseline's own, the same in all runs",
    "experiments/duals/dual_form/transformer.py": "a rotation, which has no random numbers",
    "experiments/clicks/dti_cost/programs.py": "weights of programs that are timed",
    "experiments/timing/retrieval_cost/answers.py": "models and inputs that are timed",
    "experiments/timing/speed/run.py": "random bits that are timed",
    "trainers/timing/ceilings.py": "random bits that are timed",
}


def calls(path: pathlib.Path, name: str) -> list[ast.Call]:
    nodes = ast.walk(ast.parse(path.read_text()))
    return [node for node in nodes if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == name]


def test_no_key_is_folded_with_a_number_that_stands_in_the_code():
    literal = [
        f"{path}:{call.lineno}"
        for path in FILES
        for call in calls(path, "fold_in")
        if isinstance(call.args[1], ast.Constant)
    ]
    assert not literal


def test_keys_are_made_from_numbers_in_few_places():
    makers = {
        str(path.relative_to(ROOT))
        for path in FILES
        for call in calls(path, "key")
        if ast.unparse(call.func) == "jax.random.key"
    }
    assert makers == {*MAKES_KEYS}


def test_streams_of_a_seed_and_seeds_of_a_stream_have_different_keys():
    keys = {tuple(np.asarray(jax.random.key_data(key_of(seed, each)))) for seed in range(3) for each in Stream}
    assert len(keys) == 3 * len(Stream)


def test_training_steps_draw_by_the_key_of_their_stream_and_nothing_else_does():
    """So that no other key is that of a training step: those of other streams are others (above)."""
    texts = {str(path.relative_to(ROOT)): path.read_text() for path in FILES}
    uses = {path: text.count("Stream.training") for path, text in texts.items() if "Stream.training" in text}
    assert uses == {"trainers/meta.py": 1, "experiments/regression/plateau/run.py": 1}, "plateau has a loop of its own"
    assert not any(re.search(r"\bStream(\(\d|\[)", text) for text in texts.values()), "by its number or its text"


# One kind of each loop, and one whose evaluator is its own.
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["comparison", "prompt_shifts", "dti"])
def test_no_test_episode_shares_its_key_with_a_training_step(kind, tmp_path, monkeypatch):
    """All keys by which a tiny run draws episodes, of its own training and of the runs that it starts from."""
    training, other = set(), set()

    def recorded(real):
        def sample(self, key, batch):
            names = {frame.filename for frame in inspect.stack()}
            keys = training if any(name.endswith("trainers/meta.py") for name in names) else other
            jax.debug.callback(lambda data: keys.add(tuple(np.ravel(data).tolist())), jax.random.key_data(key))
            return real(self, key, batch)

        return sample

    assert {*catalogue.TASKS.values()} <= subclasses(Task), "all tasks have been imported"
    for cls in subclasses(Task):
        if "sample" in vars(cls):
            monkeypatch.setattr(cls, "sample", recorded(vars(cls)["sample"]))
    prepared(kind, tmp_path)
    with own_programs(kind):
        done = lab_here(*words_of(kind), cwd=tmp_path)
        jax.effects_barrier()
    assert done.returncode == 0, done.stderr
    assert training
    assert other
    assert not training & other


def subclasses(cls: type) -> set[type]:
    """Return a class and all that inherit from it."""
    return {cls}.union(*(subclasses(each) for each in cls.__subclasses__()))
