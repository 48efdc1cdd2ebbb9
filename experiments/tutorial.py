"""The command that runs the code of the tutorial, and puts its outputs, figures and list of kept models on the page.

    python -m experiments.tutorial docs/tutorial.md

The blocks of Python are one script. What a block prints is the block of text below it; where a picture stands below a
block, the block's variable `figure` is drawn into its file.
"""

import contextlib
import io
import pathlib
import re
import sys
from typing import Any

from experiments import kept_models
from lab.runs import console

BLOCK = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n.*?^```\n)?(?P<picture>\n!\[[^\]]*\]\((?P<file>[^)]+)\)\n)?",
    flags=re.DOTALL | re.MULTILINE,
)
MODELS = re.compile(r"(?<=<!-- kept models -->\n).*(?=<!-- end of kept models -->)", flags=re.DOTALL)
DOTS = 110  # per inch


def write(page: pathlib.Path) -> None:
    """Run a page's code, and write outputs and figures. The lines of a slow machine's progress are no output."""
    variables: dict[str, Any] = {}
    console.CONSOLE.quiet = True

    def executed(block: re.Match[str]) -> str:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(block["code"], variables)
        if block["file"]:
            (page.parent / block["file"]).parent.mkdir(exist_ok=True)
            variables["figure"].savefig(page.parent / block["file"], dpi=DOTS)
        lines = "".join(f"{line.rstrip()}\n" for line in printed.getvalue().splitlines() if line.strip())
        output = f"\n```text\n{lines}```\n" if lines else ""
        return f"```python\n{block['code']}```\n{output}{block['picture'] or ''}"

    text = BLOCK.sub(executed, page.read_text(encoding="utf-8"))
    page.write_text(MODELS.sub(lambda _: models(), text), encoding="utf-8")


def models() -> str:
    """Return the table of the kept models."""
    rows = [f"| `{name}` | {entry['shows']} |" for name, entry in kept_models.manifest().items()]
    return "\n".join(["| name | model |", "|---|---|", *rows, ""])


if __name__ == "__main__":
    write(pathlib.Path(sys.argv[1]))
