"""TensorBoard's event files, by tensorboardX: `tensorboard --logdir runs` shows them while a run trains.

A file a seed, in `tensorboard/seed_0/` and so on. They are written by the caller's thread: that of
tensorboardX's SummaryWriter would die of a full disk without a word.
"""

import pathlib
import time

from lab.config.base import Base
from lab.runs.trackers.tracker import Tracker, scalars


class TensorBoard(Tracker):
    def __init__(self, parent: pathlib.Path, settings: Base, seconds: float):
        self.folder, self.began, self.files = parent / "tensorboard", time.time() - seconds, {}

    def write(self, line: dict) -> None:
        from tensorboardX.proto.event_pb2 import Event
        from tensorboardX.proto.summary_pb2 import Summary

        for seed, step, values in scalars(line):
            summary = Summary(value=[Summary.Value(tag=name, simple_value=value) for name, value in values.items()])
            file = self._file(seed)
            file.write_event(Event(wall_time=self.began + line["seconds"], step=step, summary=summary))
            file.flush()

    def _file(self, seed: int):
        from tensorboardX.event_file_writer import EventsWriter

        if seed not in self.files:
            place = self.folder / f"seed_{seed}"
            place.mkdir(parents=True)
            self.files[seed] = EventsWriter(str(place / "events"))
        return self.files[seed]

    def close(self) -> None:
        for file in self.files.values():
            file.close()
