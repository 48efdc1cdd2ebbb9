"""The experiments, read from the first comment lines of their files."""

import pathlib

EXPERIMENTS = pathlib.Path(__file__).with_name("conf") / "experiment"


def experiments() -> dict[str, str]:
    """{name: what it shows}: the first comment after the package line of `conf/experiment/NAME.yaml`."""
    return {path.stem: _headline(path) for path in sorted(EXPERIMENTS.glob("*.yaml"))}


def _headline(path: pathlib.Path) -> str:
    lines = path.read_text(encoding="utf-8").splitlines()
    return next(line.lstrip("# ") for line in lines if line.startswith("#") and "@package" not in line)


def print_experiments() -> None:
    """What `python run.py` alone prints."""
    headlines = experiments()
    width = max(map(len, headlines))
    print("python run.py experiment=NAME [key=value ...]\n")
    for name, headline in headlines.items():
        print(f"  {name:{width}}  {headline}")
    print("\npython run.py experiment=NAME --help lists the keys of an experiment")
    print("python run.py use=FILE.py experiment=NAME uses a file of your own: tasks, learners, kinds, figures")
    print("python run.py report=DIR,DIR draws figures and reports of finished runs again")
