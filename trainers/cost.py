"""What a program's runs have cost together, as summary.json tells it."""

from collections.abc import Sequence
from typing import Protocol

from trainers.programs import Stopwatch
from trainers.run import Run


class Timed(Protocol):
    """A session: a population that is trained by the clock."""

    watch: Stopwatch
    size: int  # models


def cost(session: Timed, runs: Sequence[Run]) -> dict:
    """Entries of summary.json: seconds, training steps per second, and how many models and runs shared these."""
    seconds, steps = session.watch.total(), runs[0].record.settings.train.steps
    shared = {"together": {"models": session.size, "runs": len(runs)}} if session.size > 1 else {}
    return {"seconds": seconds, "steps_per_second": steps / seconds["train"] if seconds["train"] else None} | shared
