"""Files of a user's own, as they are written beside the lab."""

import pathlib

from lab.config.points import point
from tests.command_line import ROOT

EXAMPLE = ROOT / "examples" / "my_tasks.py"

# A kind of experiment with a figure and a claim, whose runs may start from what others have trained.
BOUNCE = """
import dataclasses
from typing import ClassVar

from analysis import figures
from analysis.figures import style
from analysis.figures.claim import Claim
from analysis.figures.estimates import exact
from analysis.figures.evidence import within
from lab.config.base import Base
from tasks.settings import above_zero
from lab.config import kinds


@dataclasses.dataclass
class Bounce(Base):
    FIGURE: ClassVar = "bounces"

    height: float = above_zero(1.0)
    model: list[str] = dataclasses.field(default_factory=list)  # the words of a run

    def inputs(self):
        return [self.model] if self.model else []


class Bouncing:
    def run(self, records):
        for record in records:
            height, model = record.settings.height, record.settings.model
            trained = record.trained(model) if model else {}
            record.table("bounces", [{"bounce": bounce, "height": height / 2**bounce} for bounce in range(3)])
            record.numbers({"last": height / 4, "trained": len(trained)})


class Bounces:
    CAPTION = "The height of each bounce."

    def draw(self, directory):
        figure, axes = style.panels(1, 1, width=3, height=3)
        axes[0, 0].plot([row["height"] for row in directory.read_table("bounces")])
        return figure

    def judge(directory):
        first, *_, last = (row["height"] for row in directory.read_table("bounces"))
        return [within("share - 1/4", exact(last / first - 0.25), 1e-9)]

    CLAIMS = (Claim("A bounce is half as high.", "nobody", "the third is a quarter of the first", judge),)


kinds.register("bounce", Bounce, Bouncing())
figures.register("bounces", Bounces())
"""


def write(folder: pathlib.Path, text: str, name: str = "my.py") -> str:
    """The word that uses a file of this text."""
    (folder / name).write_text(text, encoding="utf-8")
    return f"use={folder / name}"


def launch(*words: str) -> None:
    """What `python run.py` does, in this process."""
    from trainers.launch import launch

    launch(point([*words, "device.cache=false"]))
