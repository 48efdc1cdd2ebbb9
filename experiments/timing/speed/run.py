"""`speed`: the speed of training at each point, compared with ceilings that are measured once for all points."""

import dataclasses
from collections.abc import Sequence

from experiments.timing.speed.columns import Rates, Table
from experiments.timing.speed.measure import SCORES, measure
from experiments.timing.speed.settings import Speed
from lab.config.identity import config_hash
from lab.runs import console, interrupt
from lab.runs.devices import device_name
from lab.runs.memory import enough_memory
from trainers.record import Record
from trainers.timing.ceilings import Ceilings

POINT = "point"  # a measurement that is kept until all points are done


def run(records: Sequence[Record[Speed]]) -> None:
    """Measure every point, and write its table `speed`, its numbers and the ceilings.

    Raises:
        UserError: a directory cannot be written, or the device has too little memory.
    """
    settings = records[0].settings
    console.say(f"{settings.name}: {len(records)} points, {settings.rounds} rounds of {settings.seconds:g} s")
    finished = {config_hash(record.settings): record.partial.tables(POINT) for record in records}
    with console.busy("ceilings"):
        earlier = next((Ceilings(**each["ceilings"][0]) for each in finished.values() if each), None)
        highest = earlier or Ceilings.measured(settings.seconds, settings.rounds)
    rows: dict[str, dict] = {key: each["row"][0] for key, each in finished.items() if each}
    for number, record in enumerate(records, start=1):
        key = config_hash(record.settings)
        if key not in rows:  # parts may share a point, which is measured once
            interrupt.check()
            with (
                console.busy(f"point {number} of {len(records)}"),
                enough_memory("not enough memory for this point; leave it out or lower `examples`"),
            ):
                point = {"row": [measure(record.settings, highest)], "ceilings": [dataclasses.asdict(highest)]}
                (rows[key],) = record.partial.keep_rows(POINT, point)["row"]
        _write(record, rows[key], highest, len(records))


def _write(record: Record, row: dict, highest: Ceilings, points: int) -> None:
    record.table(Table.SPEED, [row])
    record.numbers({name: value for name, value in row.items() if not isinstance(value, str)})
    together = {"runs": points}  # the seconds in the summary are those of all points
    record.entries(
        device=device_name(), ceilings=dataclasses.asdict(highest), binds=row[Rates.BINDS], together=together
    )
    if row[Rates.SPEED_UP] is None:
        record.note(
            "no plain forward pass to compare with: it forms all attention scores, and is measured up to "
            f"{SCORES:,} of them at a time"
        )
