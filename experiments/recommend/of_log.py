"""`recommend_log`: the recommenders of `recommend` on what real users took. Who they would have taken is not known, so
there is no ceiling."""

from collections.abc import Sequence

from experiments.recommend.run import rank
from experiments.recommend.settings import LogRecommendation
from experiments.recommend.splits import SPLITS, Log
from lab.errors import ConfigError
from lab.runs import console
from tasks.logs.catalogue import ITEM_READERS
from trainers.record import Record


def run(records: Sequence[Record]) -> None:
    """Write the tables `learners` and `differences`, and headline numbers.

    Raises:
        UserError: a directory cannot be written, the device has too little memory, a split leaves nobody.
        DataError: the log cannot be read.
    """
    for record in records:
        settings: LogRecommendation = record.settings
        with console.busy("reading the log"):
            taken = ITEM_READERS[settings.data.name].read(settings.data)
        count, log = len(taken.names), Log(taken.items, taken.times)
        _check(settings, log, count)
        for note in taken.notes:
            record.note(note)
        rank(record, lambda seed, log=log, count=count: (log, count))


def _check(settings: LogRecommendation, log: Log, count: int) -> None:
    if settings.negatives >= count:
        raise ConfigError(f"negatives={settings.negatives}: must be below the number of items, {count}")
    for split in settings.splits:
        parts = SPLITS[split](log, settings.test_share)
        if min(len(parts.train), len(parts.test)) < 2:
            told = f"{len(parts.train)} users to learn from and {len(parts.test)} to test on"
            raise ConfigError(f"splits={split.value}: it leaves {told}; at least 2 each")
