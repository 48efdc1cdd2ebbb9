"""`comparison`: Transformers are meta-trained and compared with gradient descent and other learners.

One program of runs that differ in numbers alone, from settings to the tables of each.
"""

import functools
from collections.abc import Sequence

import jax
import numpy as np

from lab.config.comparison import Comparison
from lab.learners.learner import Learner
from lab.runs import console, interrupt
from tasks.catalogue import TASKS
from tasks.task import Source
from trainers import meta, resume
from trainers.experiments.comparison import baselines, evaluation, files, own_learners, references, shifts, sizes
from trainers.experiments.comparison.run import Run
from trainers.population import Member, at, members
from trainers.recipe import Recipe
from trainers.record import Record
from trainers.session import Session


def run(records: Sequence[Record]) -> None:
    """Train and compare, and write each run's files. Runs go on from a checkpoint that all of them have.

    Raises:
        ConfigError: something is too large for this machine.
        UserError: a directory cannot be written, the device has too little memory, no checkpoint is good.
        DataError: the data cannot be read; nothing is written then.
    """
    settings = [record.settings for record in records]
    sources = read_sources(settings)
    sizes.require(settings[0], TASKS[settings[0].task.name].together([settings[0].task], sources[:1])[0])
    runs = _runs(records, sources)
    session = session_of(settings, sources)
    counts = [len(each.members) for each in runs]
    _say_what_begins(records)
    with console.busy("compiling, line search"):
        saved = resume.restore(records, counts, session.like())
        step, state, extras = saved or (None, None, [{}] * len(runs))
        session.start(state)
    for each, extra in zip(runs, extras, strict=True):
        each.restore(extra)
    if (source := records[0].trained_by) is not None:
        console.say(f"trained already: {source}")
    elif step:
        session.watch.add(extras[0]["seconds"])
        console.say(f"going on from step {step}")
    evaluator = evaluation.Evaluator(session, settings[0])
    _train(session, evaluator, runs, step)
    if well := _well(runs):
        with console.busy("final comparison"):
            files.write(session, evaluator, well)


def check(settings: Comparison) -> None:
    """What only the tables of tasks and learners know of the settings.

    Raises:
        ConfigError: an unknown learner, or shifts of a task that cannot be shifted.
    """
    own_learners.require(settings.learners)
    shifts.require(settings)


def learners(settings: Comparison) -> dict[str, Learner]:
    """The structures of the trained learners that a run keeps."""
    like = session_of([settings], read_sources([settings])).like()[1]
    return {
        name: jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape[1:], leaf.dtype), state.learner)
        for name, state in like.items()
    }


def read_sources(settings: Sequence[Comparison]) -> list[Source]:
    if names := dict.fromkeys(each.data.name for each in settings if each.data):
        console.say(f"reading {', '.join(names)}")
    task = TASKS[settings[0].task.name]
    return task.read([each.task for each in settings], [each.data for each in settings])


def session_of(settings: Sequence[Comparison], sources: Sequence[Source]) -> Session:
    shared = settings[0]

    def begin(member: Member, prepared: baselines.References) -> dict[str, meta.TrainState]:
        trainees = baselines.trainees(shared, member, prepared)
        trainees |= own_learners.trainees(shared.learners, member.task)
        return {name: meta.begin(make, member.recipe, member.key) for name, make in trainees.items()}

    return Session(
        members(settings, sources),
        functools.partial(references.prepare, shared),
        begin,
        shared.device,
        shared.population.chunk,
        shared.eval.chunk,
    )


def _runs(records: Sequence[Record], sources: Sequence[Source]) -> list[Run]:
    """The records with their places in the population."""
    runs, first = [], 0
    for record, source in zip(records, sources, strict=True):
        places = np.arange(first, first + record.settings.population.seeds)
        runs.append(Run(record, source, places, places))
        first += len(places)
    return runs


def _say_what_begins(records: Sequence[Record]) -> None:
    settings, many = records[0].settings, f"{len(records)} runs together, " if len(records) > 1 else ""
    last = settings.seed + settings.population.seeds - 1
    seeds = f"seed {settings.seed}" if last == settings.seed else f"seeds {settings.seed} to {last}"
    train = settings.train
    recipe = Recipe.of(train, settings.model.num_layers)
    how = f"{recipe.optimizer.name} at {recipe.learning_rate:g}"
    console.say(f"{settings.name}: {many}{train.steps} steps of {train.batch_size} episodes, {how}, {seeds}")
    for record in records:
        console.say(f"writing to {record.place.path}")


def _well(runs: Sequence[Run]) -> list[Run]:
    return [each for each in runs if each.record.failure is None]


def _train(session: Session, evaluator: evaluation.Evaluator, runs: Sequence[Run], start: int | None) -> None:
    """Training with an evaluation every `train.eval_every` steps: the rows of the curves, and checkpoints."""
    settings: Comparison = runs[0].record.settings
    train, done = settings.train, start or 0
    losses = {name: np.full((session.size, 1), np.nan) for name in session.trained}
    stops = [*range(0, train.steps, train.eval_every), train.steps]
    saving = resume.Saving(settings.checkpoint.every)
    with console.training_bar(train.steps) as advance:
        for step in stops if start is None else [stop for stop in stops if stop > start]:
            with interrupt.held():
                if step:
                    losses = session.advance(step - done)
                    done = step
                results = evaluator.curve()
                for each in _well(runs):
                    each.evaluated(step, at(losses, each.rows), at(results, each.rows), session.watch.total()["total"])
                if not _well(runs):
                    return
                shown = [results["loss"][baselines.SUBJECT]["mean"][each.rows] for each in _well(runs)]
                advance(step, float(np.mean(np.concatenate(shown))), session.watch.seconds["train"])
                stop = interrupt.pending()
                if saving.due() or stop or step == train.steps:
                    with saving:
                        _save(step, session, _well(runs))


def _save(step: int, session: Session, runs: Sequence[Run]) -> None:
    """A checkpoint for each run, of all its members."""
    state = session.state
    for each in runs:
        each.record.save(step, at(state, each.members), each.extra | {"seconds": session.watch.total()})
