"""The worked example of `docs/adding-your-own.md` runs, and does what the text around it says."""

import pathlib
import re

PAGE = (pathlib.Path(__file__).parent.parent / "docs" / "adding-your-own.md").read_text(encoding="utf-8")


def test_worked_example(capsys):
    blocks = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    assert len(blocks) == 3
    namespace = {"__name__": "page"}
    for block in blocks:
        exec(compile(block, "adding-your-own.md", "exec"), namespace)
    loss = {name: float(of["mean"]) for name, of in namespace["seen"]["loss"].items()}
    assert loss["ridge"] < loss["shrunk"] < loss["least_squares"]
    assert 0 < float(namespace["state"].learner.factor[...]) < 1
    assert len(capsys.readouterr().out.splitlines()) == 3
