"""The list of experiments, read from the first comment lines of their files."""

import pathlib
import shutil
import textwrap

from lab.config.kinds import FILES

GROUPS = (  # the groups of the list, in this order
    "One layer",
    "Several layers",
    "Real tables",
    "Figures of RAG-GD",
    "Retrieval",
    "Attention as gradient descent",
    "In context and fine-tuned",
    "Functions in context",
)
GROUP = "Group: "  # the beginning of the comment that names an experiment's group
OTHERS = "Others"  # the group of those without such a comment
NARROWEST = 40  # columns: a narrower terminal is treated as if it had so many


def experiments() -> dict[str, str]:
    """Return {name: its question}, the first comment of each file."""
    return {name: _comments(path)[0] for name, path in sorted(FILES.items())}


def groups() -> dict[str, list[str]]:
    """Return {group: names of its experiments}: those of `GROUPS`, further ones in order, and `OTHERS`."""
    by_group: dict[str, list[str]] = {}
    for name, path in sorted(FILES.items()):
        named = [line.removeprefix(GROUP) for line in _comments(path) if line.startswith(GROUP)]
        by_group.setdefault(named[0] if named else OTHERS, []).append(name)
    listed = [name for name in GROUPS if name in by_group]
    further = sorted({*by_group} - {*GROUPS, OTHERS})
    return {name: by_group[name] for name in (*listed, *further, OTHERS) if name in by_group}


def _comments(path: pathlib.Path) -> list[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.lstrip("# ") for line in lines if line.startswith("#")]


def print_experiments() -> None:
    """Print the list of experiments, as wide as the terminal: the answer to `python run.py` without words."""
    headlines, columns = experiments(), max(NARROWEST, shutil.get_terminal_size().columns)
    width = max(map(len, headlines))
    print("python run.py experiment=NAME [key=value ...]")
    for group, names in groups().items():
        print(f"\n{group}")
        for name in names:
            is_wide = columns - width - 4 >= NARROWEST // 2  # the question fits beside the name
            begin = f"  {name:{width}}  " if is_wide else "    "
            if not is_wide:
                print(f"  {name}")
            wrapper = textwrap.TextWrapper(
                columns, initial_indent=begin, subsequent_indent=" " * len(begin), break_on_hyphens=False
            )
            print(wrapper.fill(headlines[name]))
    print("\npython run.py experiment=NAME --help lists the keys of an experiment")
    print("python run.py use=FILE.py experiment=NAME uses a file of your own: tasks, learners, kinds, figures")
    print("python run.py report=DIR,DIR draws figures and reports of finished runs again")
    print("python run.py runs lists the runs that are there; runs help names what else can be done with them")
