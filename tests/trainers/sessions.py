"""Sessions and records of comparisons, as launching makes them, for tests of what is inside."""

from typing import Any

import experiments
from experiments.regression.comparison import run as experiment
from lab.config import compose, kinds
from trainers.record import Record

kinds.install(experiments.kinds(), experiments.files())  # also in processes that tests start


def settings_of(*words) -> Any:
    return compose.compose_run(list(words))


def begun(*settings, sources=None) -> Any:
    """A session of runs that differ in numbers alone, before its first step."""
    sources = experiment.read_sources(settings) if sources is None else sources
    session = experiment.session_of(settings, sources)
    session.start()
    return session


def records_of(*points, words=()) -> list[Any]:
    """One record per point: its words beside the common ones."""
    return [Record(settings_of(*words, *point), "again") for point in points or ([],)]
