"""One experiment, from a configuration to the tables, figures and report in its directory."""

import contextlib
import functools
import time

import jax
import numpy as np

from analysis import summary as summaries
from analysis.comparison import compare
from analysis.figures import draw
from analysis.report import write_report
from analysis.theory import one_step
from lab import console
from lab.config import Config
from lab.devices import find_devices
from lab.errors import Diverged
from lab.run_directory import RunDirectory, config_hash
from tasks.catalogue import TASKS
from trainers import contestants, meta
from trainers.line_search import line_search
from trainers.population import Stream, members


class Stopwatch:
    """Seconds by what they were spent on."""

    def __init__(self):
        self.started = time.perf_counter()
        self.seconds = {"setup": 0.0, "compile": 0.0, "train": 0.0, "evaluate": 0.0}

    @contextlib.contextmanager
    def on(self, name: str):
        begun = time.perf_counter()
        yield
        self.seconds[name] += time.perf_counter() - begun

    def total(self) -> dict[str, float]:
        return self.seconds | {"total": time.perf_counter() - self.started}


def run(config: Config, directory: RunDirectory, command: str) -> dict:
    """The summary of a run in `directory`; `command` is how to repeat it.

    A directory whose run is done is read and not run again, unless `run.force` is set.

    Raises:
        UserError: the device that was asked for is missing, the directory cannot be written, or the loss diverged.
    """
    if directory.done and not config.run.force:
        console.already_done(directory)
    else:
        find_devices(config.device.require)
        directory.begin(config)
        console.starting(directory, config)
        _measure(config, directory, command)
        draw(config.figure, directory)
        write_report(directory)
        directory.finish()
    summary = directory.read_summary()
    console.results(directory, summary)
    return summary


def _measure(config: Config, directory: RunDirectory, command: str) -> None:
    """Line search, training with an evaluation every `train.eval_every` steps, final comparison; then the tables."""
    watch = Stopwatch()

    def compiled(function, *arguments):
        with watch.on("compile"):
            return jax.jit(jax.vmap(function)).lower(*arguments).compile()

    with watch.on("setup"):
        task = TASKS[config.task.name](**vars(config.task))
        population = members(config, task)
        schedule = meta.Schedule(config.train.steps, config.train.batch_size, config.train.warmup)
        new = contestants.new_transformer(config, task)

    def search(member):
        key, episodes = member.stream(Stream.line_search), config.baselines.line_search_episodes
        descent = contestants.descent_of(config, member)
        return line_search(descent, config.model.num_layers, member.task, key, episodes)

    def evaluation(learners_of, against, learner, member, eta):
        learners = learners_of(config, member, eta, learner)
        key = member.stream(Stream.validation)
        return compare(
            learners, contestants.SUBJECT, against or (*learners,)[1:], member.task, key, config.eval.episodes
        )

    search_program = compiled(search, population)
    with watch.on("setup"):
        found = jax.block_until_ready(search_program(population))
    begin = compiled(lambda member: meta.init(member, schedule, new), population)
    state = begin(population)
    glance = functools.partial(evaluation, contestants.trained_against, ("gradient_descent",))
    look = compiled(glance, state.learner, population, found.eta)
    chunk = functools.cache(lambda steps: compiled(lambda s, m: meta.train(s, m, schedule, steps), state, population))
    every = min(config.train.eval_every, config.train.steps)
    chunk(every)

    curves, recent = [], np.full((config.population.seeds, 1), np.nan)
    with console.training_bar(config.train.steps) as advance:
        for step in [*range(0, config.train.steps, every), config.train.steps]:
            if step:
                with watch.on("train"):
                    state, recent = jax.block_until_ready(chunk(step - int(state.step[0]))(state, population))
                _stop_if_diverged(np.asarray(recent), step, config.seed)
            with watch.on("evaluate"):
                seen = jax.device_get(look(state.learner, population, found.eta))
            rows = summaries.curve_rows(step, config.seed, np.asarray(recent), seen)
            curves += rows
            directory.append_metrics({"seconds": watch.total()["total"], "members": rows})
            advance(step, float(np.mean(seen["loss"][contestants.SUBJECT]["mean"])), watch.seconds["train"])

    look = compiled(functools.partial(evaluation, contestants.all_learners, ()), state.learner, population, found.eta)
    with watch.on("evaluate"):
        seen = jax.device_get(look(state.learner, population, found.eta))
    oracle = jax.device_get(jax.vmap(lambda member: one_step(member.task))(population))
    directory.write_table("curves", curves)
    directory.write_table("learners", summaries.learner_rows(seen["loss"]))
    directory.write_table("alignment", summaries.alignment_rows(seen["alignment"]))
    directory.write_arrays("parameters", named_leaves(state.learner))
    eta = {"mean": found.eta, "stderr": found.stderr}
    summary = summaries.summarise(config.name, config_hash(config), seen, eta, oracle)
    summary["command"] = command
    summary["notes"] = contestants.notes(config)
    summary["seconds"] = watch.total()
    summary["steps_per_second"] = config.train.steps / watch.seconds["train"]
    directory.write_summary(summary)


def named_leaves(tree) -> dict[str, np.ndarray]:
    """{path: array} of a pytree, for a file."""
    return {jax.tree_util.keystr(path): np.asarray(leaf) for path, leaf in jax.tree_util.tree_leaves_with_path(tree)}


def _stop_if_diverged(losses_PxS: np.ndarray, step: int, seed: int) -> None:
    bad = np.argwhere(~np.isfinite(losses_PxS))
    if bad.size:
        member, index = bad[np.argmin(bad[:, 1])]
        at = step - losses_PxS.shape[1] + index
        raise Diverged(
            f"the training loss became {losses_PxS[member, index]} at step {at} with seed {seed + member}; "
            "lower train.learning_rate or train.clip_norm"
        )
