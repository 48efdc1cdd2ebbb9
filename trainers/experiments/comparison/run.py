"""One run among those of a program: its place in the population, what has been seen of it, and what became of it."""

import dataclasses

import numpy as np

from analysis.tables import rows as summaries
from lab.config.comparison import Config
from lab.config.identity import config_hash
from lab.errors import Diverged
from lab.runs.directory import RunDirectory
from lab.runs.hosts import on_first_process
from lab.runs.trackers.tracker import Tracker
from tasks.task import Source
from trainers.checkpoint import Checkpoints
from trainers.population import at


@dataclasses.dataclass
class Run:
    config: Config
    directory: RunDirectory
    command: str  # how to repeat it
    source: Source = dataclasses.field(default_factory=Source)  # what its task is drawn from
    members: np.ndarray | None = None  # the numbers of its members in the population
    rows: np.ndarray | None = None  # those that have not diverged
    lost: list[str] = dataclasses.field(default_factory=list)  # why the others have
    curves: list[dict] = dataclasses.field(default_factory=list)
    metrics_bytes: int = 0  # of metrics.jsonl, when `curves` was what it is
    tracker: Tracker | None = None  # while it trains
    failure: Diverged | None = None  # all members have diverged: it takes no further part

    @property
    def checkpoints(self) -> Checkpoints:
        return Checkpoints(self.directory.path / "checkpoints", config_hash(self.config))

    @property
    def seeds(self) -> list[int]:
        """Of the rows."""
        return [self.config.seed + int(row - self.members[0]) for row in self.rows]

    def look(self, step: int, losses: dict[str, np.ndarray], seen: dict, seconds: float) -> None:
        """Note what was seen of its rows at a step: losses (P, steps) of the steps before it, and an evaluation."""
        why = [
            _divergence(at(losses, [row]), at(seen["loss"], [row]), step, seed) for row, seed in enumerate(self.seeds)
        ]
        well = [row for row, reason in enumerate(why) if reason is None]
        if not well:
            self.failure = Diverged(why[0])
            return
        if len(well) < len(why):
            self.lost += [f"left out: {reason}" for reason in why if reason]
            self.rows, losses, seen = self.rows[well], at(losses, well), at(seen, well)
            self.curves = [row for row in self.curves if row["seed"] in self.seeds]
        new = summaries.curve_rows(step, self.seeds, losses, seen)
        self.curves += new
        line = {"seconds": seconds, "members": new}
        self.directory.append_metrics(line)
        self.metrics_bytes = self.directory.metrics_bytes
        on_first_process(self.tracker.write)(line)


def _divergence(losses: dict[str, np.ndarray], seen: dict, step: int, seed: int) -> str | None:
    """Of one member, (1, steps). The last update of a chunk is seen by the validation loss alone, and so is GD++'s
    meta-training."""
    for name, losses_1xS in losses.items():
        bad = np.flatnonzero(~np.isfinite(losses_1xS[0]))
        if step and bad.size:
            where = step - losses_1xS.shape[1] + bad[0]
            return (
                f"the training loss of {name} became {losses_1xS[0, bad[0]]} at step {where} with seed {seed}; "
                "lower train.learning_rate or train.clip_norm"
            )
    keys = {name: "train.learning_rate" for name in losses} | {"gd_plus_plus": "baselines.gd_plus_plus.learning_rate"}
    for name, key in keys.items():
        if name in seen and (np.any(seen[name]["left_out"]) or not np.all(np.isfinite(seen[name]["mean"]))):
            return f"the validation loss of {name} is not a finite number at step {step} with seed {seed}; lower {key}"
    return None
