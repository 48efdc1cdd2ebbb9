"""`dti`: a decoder of click streams is trained on prompts of k targets, and kept.

Runs that differ in traced numbers alone are one program: they train together, and each writes its own tables.
"""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np

from analysis.tables.columns import Table
from experiments.clicks.dti.evaluation import DECODER, Evaluator
from experiments.clicks.dti.settings import Dti
from experiments.clicks.tables import METRICS, SLIDING, STREAMING, Clicks, metric_numbers, seed_rows, spent_row
from lab.learners.stream_decoder import StreamDecoder
from lab.learners.stream_shape import StreamShape
from tasks.click_streams import Tastes
from trainers import loop, meta
from trainers.population import Member, at, members
from trainers.session import Session
from trainers.slice import RunSlice

NUMBERS = {metric: (SLIDING, metric) for metric in METRICS} | {"gap": (STREAMING, Clicks.GAP_AUC)}


def session_of(settings: Sequence[Dti]) -> Session:
    """Return the session that trains the decoders of these settings, which differ in traced numbers alone."""
    shared = settings[0]

    def begin(member: Member, prepared: None) -> dict[str, meta.TrainState]:
        assert isinstance(member.task, Tastes)  # `Dti.check` says so
        shape = StreamShape.of_task(shared.model, member.task)
        ymin, ymax, slope = (member.numbers[f"model.{name}"] for name in ("ymin", "ymax", "slope"))

        def make(key: jax.Array, init_scale: jax.Array) -> StreamDecoder:
            return StreamDecoder(shape, key, init_scale, jnp.stack([ymin, ymax]), slope)

        return {DECODER: meta.begin(make, member.recipe, member.key)}

    # Three members with k = 50 take 1.14 times the processor seconds side by side (docs/speed.md).
    return Session(
        members(settings),
        lambda member: None,
        begin,
        shared.device,
        shared.population.chunk,
        shared.eval.chunk,
        one_by_one=True,
    )


def write(session: Session, evaluator: Evaluator, runs: Sequence[RunSlice[Dti]]) -> None:
    """Make the final evaluation, and write the files of each run from its own members of the population."""
    everyone = {"answers": evaluator.final(), "trained": session.state[1][DECODER].learner}
    for each in runs:
        here, record = at(everyone, each.rows), each.record
        rows = rows_of(record.settings.model.targets, each.seeds, here["answers"])
        record.table(Table.CLICKS, rows)
        record.table(
            Table.SPENT, [spent_row(session, record.settings, getattr(record.settings.task, "num_targets", 0))]
        )
        record.learner(DECODER, here["trained"])
        record.numbers(metric_numbers(rows, NUMBERS))


def rows_of(targets: int, seeds: Sequence[int], answers: dict) -> list[dict]:
    """Return the rows of clicks.csv.

    Args:
        targets: k of the training prompts.
        answers: the result of `Evaluator.final` for these seeds, whose test users are their own.
    """
    rows = []
    for place, seed in enumerate(seeds):
        label_UxQ = answers["labels"][place]
        user_R = np.repeat(np.arange(len(label_UxQ)), label_UxQ.shape[1])
        logits = {name: each[place].reshape(1, -1) for name, each in answers["logits"].items()}
        rows += seed_rows(targets, [seed], logits, {}, label_UxQ.ravel(), user_R)
    return rows


run, learners = loop.entry_points(session_of, Evaluator, write)
