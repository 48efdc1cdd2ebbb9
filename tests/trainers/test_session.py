"""The compiled programs of a run."""

import collections

import jax
import numpy as np
import pytest

from experiments.regression.comparison import evaluation
from experiments.regression.comparison.evaluation import Evaluator
from lab.runs import memory
from lab.runs.devices import device_name
from tests.trainers.sessions import begun, settings_of
from trainers import loop
from trainers.programs import Programs, Stopwatch, options_for_one_call

PLAIN = ["experiment=plain", "baselines.line_search_episodes=100"]


def names(session):
    """How many programs there are of each name."""
    return collections.Counter(name for name, *_ in session.programs.compiled)


def assert_equal(left, right):
    jax.tree.map(np.testing.assert_array_equal, left, right)


@pytest.mark.parametrize("episodes", [100, 25_000])
def test_no_program_has_two_batched_lapack_calls(episodes):
    """On two cores, two at once can wait for each other for ever: see `lab.attention.solve`."""
    settings = settings_of(*PLAIN, f"eval.episodes={episodes}")
    session = begun(settings)
    Evaluator(session, settings).final()
    texts = [program.as_text() for program in session.programs.compiled.values()]
    assert max(text.count('custom_call_target="lapack') for text in texts) == 1  # least squares


@pytest.mark.slow
@pytest.mark.skipif(jax.default_backend() != "cpu", reason="elsewhere such programs are compiled as all others")
def test_weights_before_training_are_the_same_as_with_all_optimisations(optimized):
    """So that a run whose program was compiled before it was compiled for one call alone is still the same run."""
    session = begun(settings_of("experiment=plain", "baselines.line_search_episodes=100"))
    arguments = session.population, session.prepared
    programs = Programs(Stopwatch(), 0)
    assert options_for_one_call()
    once = programs.run("setup", "once", session._begin, *arguments, **options_for_one_call())
    often = programs.run("setup", "often", session._begin, *arguments)
    assert jax.tree.all(jax.tree.map(lambda one, other: bool((one == other).all()), once, often))


def test_a_stopwatch_knows_the_devices_and_seconds_of_a_training_that_went_on_elsewhere():
    watch = Stopwatch()
    watch.add({"train": 8.0, "processor": 9.0, "compile": 3.0, "total": 11.0}, ["NVIDIA H200"])
    with watch.on("evaluate"):
        pass
    assert watch.devices == ["NVIDIA H200"]
    with watch.on("train"):
        pass
    with watch.on("train"):
        pass
    assert watch.devices == ["NVIDIA H200", device_name()]
    assert watch.total()["total"] >= 11
    taken = Stopwatch()
    taken.add_training(watch.total(), watch.devices)
    assert taken.devices == watch.devices
    assert taken.seconds["train"] == watch.seconds["train"] >= 8
    assert taken.seconds["compile"] == 0
    taken.add_training({"train": 6.0, "total": 9.0}, share=0.5)
    assert taken.seconds["train"] == pytest.approx(watch.seconds["train"] + 3)
    assert taken.total()["total"] < 5


def test_nothing_is_compiled_twice_and_fixed_learners_answer_once(monkeypatch):
    """Transformers share a program, and gradient descent shares one with the step that theory gives. Episodes are drawn
    once, and of the answers of a run only those of the changing Transformers are computed at each evaluation."""
    settings = settings_of(*PLAIN, "eval.episodes=20", "train.batch_size=4", "shift.alpha=[2]")
    session, calls = begun(settings), collections.Counter()
    evaluator, run = Evaluator(session, settings), session.programs.run

    def counted(purpose, name, *rest, **options):
        calls[name] += 1
        return run(purpose, name, *rest, **options)

    monkeypatch.setattr(session.programs, "run", counted)
    first = evaluator.curve()
    assert calls["answers"] == 3, "trained and interpolated together; gradient descent; constructed"
    session.advance(2)
    second = evaluator.curve()
    assert calls["answers"] == 4
    assert calls["draw 20"] == calls["fixed_learners"] == 1
    structures = names(session)
    assert structures["answers"] == 2
    final = evaluator.final()
    assert names(session)["answers"] == 2 + 5, "GD++, ridge, least squares, the mean, shuffled"
    assert calls["answers"] == 4 + 6
    for other in (first, final):
        descent, constructed = (other["loss"][name] for name in ("gradient_descent", "constructed"))
        assert_equal(descent, second["loss"]["gradient_descent"])
        assert_equal(constructed, second["loss"]["constructed"])
    assert_equal(final["loss"]["transformer"], second["loss"]["transformer"])
    with pytest.raises(AssertionError):
        assert_equal(first["loss"]["transformer"], second["loss"]["transformer"])
    before = names(session)
    evaluator.shifted()
    assert names(session) - before == {"draw 20": 1}


def test_answers_that_take_too_much_room_are_computed_again(monkeypatch):
    settings = settings_of(*PLAIN, "eval.episodes=20")
    session = begun(settings)
    kept = Evaluator(session, settings).curve()
    monkeypatch.setattr(evaluation, "KEPT_BYTES", 0)
    forgetful = Evaluator(session, settings)
    for _ in range(2):
        assert_equal(forgetful.curve(), kept)
    assert not forgetful._answers
    assert not forgetful._blocks


def measured(session):
    """How many episodes the programs take: as long are the longest of their arguments."""
    programs = [shapes for name, _, shapes in session.programs.compiled if name == "answers"]
    return {max(shape[0] for shape, _ in shapes if shape) for shapes in programs}


@pytest.mark.parametrize(("chunk", "fits"), [(30, None), (0, 30)])
def test_episodes_are_answered_as_many_at_a_time_as_fit(chunk, fits, monkeypatch):
    """As `eval.chunk` says, or as free memory allows, here 30 of 100 for the Transformers: in four parts of 25. The
    statistics are the same, but for the rounding of other vector lengths."""

    def evaluated(chunk):
        settings = settings_of(*PLAIN, "eval.episodes=100", f"eval.chunk={chunk}")
        session = begun(settings)
        return Evaluator(session, settings).curve(), session

    expected, session = evaluated(0)
    assert measured(session) == {100}
    if fits:
        needs = [program.memory_analysis() for key, program in session.programs.compiled.items() if key[0] == "answers"]
        each = max(one.temp_size_in_bytes + one.output_size_in_bytes for one in needs) / 100
        monkeypatch.setattr(memory, "memory_to_divide", lambda: fits * each / memory.SHARE)
    results, session = evaluated(chunk)
    assert 25 in measured(session)
    if chunk:
        assert measured(session) == {25}
    for one, other in zip(jax.tree.leaves(results), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-7)


def test_a_chunk_is_compiled_once():
    session = begun(settings_of(*PLAIN, "train.steps=6", "train.batch_size=4"))
    before = len(session.programs.compiled)
    for _ in range(3):
        assert session.advance(2)["transformer"].shape == (1, 2)
    assert len(session.programs.compiled) == before + 1
    assert int(jax.device_get(session.states["transformer"].step)[0]) == 6


def test_curves_are_denser_where_they_move_and_training_is_one_program(monkeypatch):
    assert loop.stops_of(300, 100) == [0, 6, 12, 25, 50, 100, 200, 300]
    assert loop.stops_of(25, 10) == [0, 5, 10, 20, 25]
    assert loop.stops_of(8, 2) == [0, 2, 4, 6, 8]
    assert loop.stops_of(30, 100) == [0, 6, 12, 25, 30]
    whole, cut = (begun(settings_of(*PLAIN, "train.batch_size=4", "train.steps=20")) for _ in range(2))
    losses = whole.advance(17)["transformer"]
    parts = [cut.advance(steps, 10)["transformer"] for steps in (5, 2, 10)]
    np.testing.assert_array_equal(np.concatenate(parts, axis=1), losses)
    assert names(cut)["train", 10] == 1
