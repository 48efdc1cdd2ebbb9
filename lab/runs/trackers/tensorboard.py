"""TensorBoard's event files, by tensorboardX: `tensorboard --logdir runs` shows them while a run trains.

There is one file per seed, in `tensorboard/seed_0/` and so on. The caller's thread writes them: the thread of
tensorboardX's SummaryWriter would end at a full disk without an error.
"""

import pathlib
import time

from lab.config.base import Base
from lab.runs.trackers.tracker import Tracker, scalars


class TensorBoard(Tracker):
    def __init__(self, parent: pathlib.Path, settings: Base, seconds: float):
        self.folder, self.began, self.files = parent / "tensorboard", time.time() - seconds, {}

    def write(self, line: dict) -> None:
        from tensorboardX.proto import event_pb2, summary_pb2

        # Read by name, as these modules make their classes when they are imported: a type checker sees none.
        event, summary = vars(event_pb2)["Event"], vars(summary_pb2)["Summary"]
        for seed, step, values in scalars(line):
            entries = [summary.Value(tag=name, simple_value=value) for name, value in values.items()]
            file = self._file(seed)
            wall_time = self.began + line["seconds"]
            file.write_event(event(wall_time=wall_time, step=step, summary=summary(value=entries)))
            file.flush()

    def _file(self, seed: int):
        from tensorboardX.event_file_writer import EventsWriter

        if seed not in self.files:
            place = self.folder / f"seed_{seed}"
            place.mkdir(parents=True, exist_ok=True)  # a file of the user's may be there
            self.files[seed] = EventsWriter(str(place / "events"))
        return self.files[seed]

    def close(self) -> None:
        for file in self.files.values():
            file.close()
