"""The README's worked example runs, and does what the text around it says."""

import pathlib
import re

README = (pathlib.Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")


def test_worked_example(capsys):
    blocks = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    assert len(blocks) == 3
    namespace = {"__name__": "readme"}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), namespace)
    loss = {name: float(of["mean"]) for name, of in namespace["seen"]["loss"].items()}
    assert loss["ridge"] < loss["shrunk"] < loss["least_squares"]
    assert 0 < float(namespace["state"].learner.factor[...]) < 1
    assert len(capsys.readouterr().out.splitlines()) == 3
