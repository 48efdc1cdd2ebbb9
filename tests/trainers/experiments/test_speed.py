"""The benchmark: what is compared is the same function, what is counted is what is there; no clock is judged."""

import csv
import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lab.config.compose import compose, register
from tasks.catalogue import TASKS
from tests.command_line import lab
from tests.lab.makers import KEY, episodes_of, one_episode, transformer
from tests.page import check_page
from trainers.experiments.speed.ceilings import bare_random, numbers_drawn, random_words
from trainers.experiments.speed.plain_forward import PlainForward
from trainers.experiments.speed.points import points
from trainers.experiments.speed.training import Training

register()


@pytest.mark.parametrize("name", ["plain", "rag_linear"])
@pytest.mark.parametrize(("num_layers", "num_context", "recurrent"), [(1, 4, True), (2, 4, False), (3, 40, True)])
def test_the_plain_forward_is_the_same_function(name, num_layers, num_context, recurrent, float64):
    task = TASKS[name](input_dim=3, num_context=num_context, num_queries=2, output_dim=2)
    model = transformer(task, num_layers=num_layers, recurrent=recurrent)
    model.initial_model[...] = jax.random.normal(KEY, model.initial_model.shape)
    episode = one_episode(task)
    plain, ours = (jax.jit(lambda e, of=of: of.readouts(e))(episode) for of in (PlainForward(model), model))
    np.testing.assert_allclose(plain, ours, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("around", [lambda learner: learner, PlainForward])
def test_counted_operations_grow_with_the_batch(around):
    flops = {}
    for batch in (64, 256):
        config = compose(["experiment=plain", f"train.batch_size={batch}"])
        program, _ = Training(config, around).program(1)
        flops[batch] = program.func.cost_analysis()["flops"]
    assert flops[256] == pytest.approx(4 * flops[64], rel=0.1)


def test_the_plain_forward_trains_alike():
    config = compose(["experiment=plain", "train.batch_size=8", "population.seeds=2"])
    (_, ours), (_, plain) = (Training(config, around).program(3)[0]() for around in (lambda of: of, PlainForward))
    assert ours.shape == (2, 3)
    np.testing.assert_allclose(plain, ours, rtol=1e-5)


def test_as_many_numbers_are_drawn_as_episodes_hold():
    task = TASKS["plain"](num_context=6, num_queries=2, input_dim=3, output_dim=2)
    episodes = episodes_of(task, 5)
    teachers = 5 * task.output_dim * task.input_dim
    count = numbers_drawn(task, 5)
    assert count == episodes.context.x.size + episodes.query.x.size + teachers
    assert random_words(bare_random(count, steps=7), KEY) == count
    drawn = [jax.random.uniform(jax.random.fold_in(KEY, i), (count,), minval=-1.0, maxval=1.0) for i in range(7)]
    np.testing.assert_allclose(bare_random(count, steps=7)(KEY), jnp.sum(jnp.stack(drawn)), rtol=1e-4)


def test_points_change_one_setting_and_bound_the_batch():
    words = ["benchmark.num_context=[10,2000]", "benchmark.population=[3]", "benchmark.examples=10000"]
    of = {point.name: point.config for point in points(compose(["experiment=benchmark", *words]))}
    assert of["num_context=10"].train.batch_size == of["population=3"].train.batch_size == 512
    assert of["num_context=2000"].train.batch_size == 5
    assert of["population=3"].population.seeds == 3
    assert of["num_layers=5"].model.num_layers == 5
    assert of["num_layers=5"].population.seeds == 1


TINY = [
    "train.batch_size=4", "benchmark.num_layers=[1,2]", "benchmark.batch_size=[]", "benchmark.num_context=[100,200]",
    "benchmark.input_dim=[]", "benchmark.population=[1,2]", "benchmark.seconds=0.001", "benchmark.rounds=1",
]  # fmt: skip
NUMBERS = (
    "layers batch context width population steps_per_second episodes_per_second models_steps_per_second "
    "flops_per_second bytes_per_second share_of_flops share_of_bytes share_of_random speed_up compile_seconds"
)


@pytest.mark.slow
def test_from_the_command_to_the_report(tmp_path):
    done = lab("experiment=benchmark", *TINY, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (table,) = tmp_path.glob("runs/benchmark/*/points.csv")
    directory = table.parent
    with open(table, newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0])[-len(NUMBERS.split()) :] == NUMBERS.split()
    assert [row["point"] for row in rows] == [
        "num_layers=1", "num_layers=2", "num_context=100", "num_context=200", "population=2",
    ], "the centre once"  # fmt: skip
    for row in rows:
        assert all(float(row[name]) > 0 for name in NUMBERS.split())
        assert float(row["models_steps_per_second"]) == float(row["steps_per_second"]) * int(row["population"])
    summary = json.loads((directory / "summary.json").read_text())
    assert summary["config_hash"] == directory.name
    assert (summary["kind"], summary["drawn"]) == ("speed", "speed")
    for point in summary["points"].values():
        assert set(point["ceilings"]) == {"flops_per_second", "bytes_per_second"}
    (claim,) = summary["claims"]
    assert set(claim["measured"]) == {"slope"}
    assert claim["holds"] in (True, False)
    for file in ("DONE", "config.yaml", "environment.json", "figures/speed.png", "figures/speed.pdf"):
        assert (directory / file).exists()
    check_page(directory / "report.html")
    report = (directory / "report.html").read_text()
    assert "speed-" in report
    assert "git_revision" in report
    assert all(row["point"] in done.stdout for row in rows)

    again = lab("experiment=benchmark", *TINY, cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert "already done" in again.stdout
    assert done.stdout.splitlines()[-9:] == again.stdout.splitlines()[-9:]
