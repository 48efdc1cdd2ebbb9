"""`decoder`: a causal Transformer is trained on a task, and kept for the experiments that start from it.

Runs that differ in traced numbers alone are one program: they train together, and each writes its own tables.
"""

from collections.abc import Sequence

import jax.numpy as jnp

from analysis.metrics.alignment import mean_and_error
from analysis.metrics.answers import Answers
from analysis.tables.columns import ByExamples, Table
from experiments.functions.by_examples import Columns, mean_rows, over_seeds, seed_rows
from experiments.functions.decoder.settings import Decoder as Settings
from lab.errors import ConfigError
from lab.learners.learner import Learner
from tasks.catalogue import TASKS
from tasks.wrapper import Prefix
from trainers import loop
from trainers.decoders import evaluation
from trainers.decoders.evaluation import Evaluator
from trainers.decoders.session import session_of
from trainers.population import Member, at
from trainers.runner import SessionRunner
from trainers.session import Session
from trainers.slice import RunSlice


def check(settings: Settings) -> None:
    """Check that a decoder can be measured on the task by its number of examples.

    Raises:
        ConfigError: the task needs a table; its episodes have documents, which a decoder does not read; or its queries
            are its examples, so that not all queries can be shown the same examples.
    """
    task = TASKS[settings.task.name]
    if task.asks_its_examples:
        raise ConfigError(
            f"task={settings.task.name}: its queries are its examples, and this kind shows all queries the same ones; "
            "allowed: tasks with queries of their own"
        )
    if task.finite or task(**vars(settings.task)).document_width:
        what = "a table of data" if task.finite else "documents"
        raise ConfigError(f"task={settings.task.name}: it needs {what}, and a decoder reads examples alone")


def write(session: Session, evaluator: Evaluator, runs: Sequence[RunSlice[Settings]]) -> None:
    """Measure the decoders with each number of examples, and write the files of each run from its own members of the
    population."""
    counts = runs[0].record.settings.counts
    everyone = {
        "results": by_examples(session, evaluator, counts),
        "trained": session.state[1][Evaluator.SUBJECT].learner,
    }
    for each in runs:
        here, record = at(everyone, each.rows), each.record
        measured = [
            (count, name, columns)
            for count, by_learner in zip(counts, here["results"], strict=True)
            for name, columns in by_learner.items()
        ]
        record.table(Table.BY_EXAMPLES, mean_rows(measured))
        record.table(Table.SEEDS, seed_rows(each.seeds, measured))
        record.learner(Evaluator.SUBJECT, here["trained"])
        most = dict(zip(counts, here["results"], strict=True))[max(counts)]
        record.numbers({ByExamples.EXAMPLES: max(counts)} | over_seeds(most[Evaluator.SUBJECT]))


def by_examples(session: Session, evaluator: Evaluator, counts: Sequence[int]) -> list[dict[str, Columns]]:
    """Return {learner: its columns} for each number of examples, of the decoder and of the Bayes-optimal answer.

    Where that is known, the decoder has further columns NUMBER_excess: its number minus the optimal one, by episode.
    """

    def measure(index: int, member: Member, learners: dict[str, Learner]) -> list[dict]:
        runner = SessionRunner(session.programs, evaluator.group_sizes)
        everyone = learners | evaluation.optimal(member.task)
        prefixes = (Prefix(member.task, jnp.asarray(count)) for count in counts)
        return [_columns(evaluator.evaluate_on(everyone, each, member, runner)) for each in prefixes]

    return evaluator.each_member(measure)


def _columns(answers: dict[str, Answers]) -> dict[str, dict[str, dict]]:
    values = {name: evaluation.values_of(each) for name, each in answers.items()}
    if (best := values.get(evaluation.OPTIMAL)) is not None:
        subject = values[Evaluator.SUBJECT]
        values[Evaluator.SUBJECT] = subject | {f"{name}_excess": subject[name] - best[name] for name in subject}
    return {learner: {name: mean_and_error(each) for name, each in own.items()} for learner, own in values.items()}


run, learners = loop.entry_points(session_of, Evaluator, write)
