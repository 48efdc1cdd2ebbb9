"""The list of experiments, read from the first comment lines of their files: questions, and what is done. It is the
answer to `python run.py` and `python run.py list`."""

import json
import pathlib
import re
import shutil
import textwrap
from collections.abc import Iterable, Mapping, Sequence

from lab.config.base import Run
from lab.config.imported import PROGRAM, without_program
from lab.config.kinds import FILES
from lab.errors import ConfigError, printable, short

GROUPS = (  # the groups of the list, in this order
    "Sources",
    "One layer",
    "Several layers",
    "Real tables",
    "Figures of RAG-GD",
    "Retrieval",
    "Attention as gradient descent",
    "In context and fine-tuned",
    "Language models",
    "Functions in context",
)
GROUP = "Group: "  # the beginning of the comment that names an experiment's group
OTHERS = "Others"  # the group of experiments without this comment
SOURCES = GROUPS[0]  # the group of experiments that name others, which answer for the same source
NARROWEST = 40  # columns of the narrowest terminal: lines are never made shorter
Costs = Mapping[str, tuple[float, str]]  # {experiment: seconds, and how long it takes in words}


def experiments() -> dict[str, str]:
    """Return {name: its question}, the first comment of each file."""
    return {name: comments(path)[0] for name, path in sorted(FILES.items())}


def done(name: str, folder: pathlib.Path) -> str:
    """Return the state of an experiment's runs below a folder: "done", "2 other runs done", or "".

    Only summaries are read. The settings of the runs are not compared with today's.
    """
    commands = [_command(path / "summary.json") for path in finished(folder / name)]
    if [f"experiment={name}"] in [without_program(command.split()) for command in commands]:
        return "done"
    return f"{len(commands)} other run{'s' * (len(commands) > 1)} done" if commands else ""


def finished(folder: pathlib.Path) -> list[pathlib.Path]:
    """Return the directories of an experiment's finished runs, the latest last, without those that a killed process has
    left under a temporary name."""
    marks = [mark for mark in folder.glob("*/DONE") if not re.match(r"\.|.*\.tmp$", mark.parent.name)]
    return [mark.parent for mark in sorted(marks, key=lambda mark: mark.stat().st_mtime)]


def _command(summary: pathlib.Path) -> str:
    """Return the command line of a finished run; "" if its summary cannot be read."""
    try:
        return str(json.loads(summary.read_text(encoding="utf-8"))["command"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ""


def groups() -> dict[str, list[str]]:
    """Return {group: names of its experiments}: first `GROUPS`, then further groups in order, then `OTHERS`."""
    by_group: dict[str, list[str]] = {}
    for name, path in sorted(FILES.items()):
        named = [line.removeprefix(GROUP) for line in comments(path) if line.startswith(GROUP)]
        by_group.setdefault(named[0] if named else OTHERS, []).append(name)
    listed = [name for name in GROUPS if name in by_group]
    further = sorted({*by_group} - {*GROUPS, OTHERS})
    return {name: by_group[name] for name in (*listed, *further, OTHERS) if name in by_group}


def duration(seconds: float) -> str:
    """Return a rough duration in words.

    >>> duration(42), duration(250), duration(9000), duration(400000)
    ('40 seconds', '4 minutes', '2.5 hours', '5 days')
    """
    if seconds < 90:
        return f"{10 * max(1, round(seconds / 10))} seconds"
    if seconds < 90 * 60:
        return f"{round(seconds / 60)} minutes"
    if seconds < 48 * 3600:
        return f"{seconds / 3600:.2g} hours"
    return f"{round(seconds / 86400)} days"


def comments(path: pathlib.Path) -> list[str]:
    """Return the comments of an experiment's file, its question first."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.lstrip("# ") for line in lines if line.startswith("#")]


def print_names() -> None:
    """Print the names of all experiments by their groups, as wide as the terminal: the answer to no words."""
    print(f"{PROGRAM} experiment=NAME [key=value ...]\n")
    for group, names in groups().items():
        print(_wrapped(f"{group}: {', '.join(names)}", "", "  "))
    print(f"\n{PROGRAM} list says what each one asks and how long it takes, list WORD those about a word")
    print(f"{PROGRAM} experiment=NAME --help lists the keys of an experiment")
    print(f"{PROGRAM} use=FILE.py experiment=NAME uses a file of your own: tasks, learners, kinds, figures")
    print(f"{PROGRAM} report=DIR,DIR draws figures and reports of finished runs again")
    print(f"{PROGRAM} decide=DIR adds seeds to a finished run until its undecided claims are decided")
    print(f"{PROGRAM} runs lists the stored runs; runs help names what else can be done with them")


def print_questions(costs: Costs, words: Sequence[str] = ()) -> None:
    """Print the questions of all experiments by their groups, or, the quickest first, of those about all of some words.

    Raises:
        ConfigError: there is none.
    """
    by_group = groups()
    width = max(len(name) for names in by_group.values() for name in names)
    if words:
        chosen = sorted(about(words), key=lambda name: (costs.get(name, (0.0, ""))[0], name))
        if not chosen:
            pages = "".join(f" {page} is;" for page in pages_about(words))
            start = f"list {short(printable(' '.join(words)))}: no experiment is about that;"
            raise ConfigError(f"{start}{pages} `list` has all")
        _print(chosen, costs, width)
    for group, names in {} if words else by_group.items():
        print(f"\n{group}")
        _print(names, costs, width)
    print(f"\nIn brackets: the time on 2 CPU cores, and what is done in {pathlib.Path(Run().dir)}/")


def about(words: Sequence[str]) -> list[str]:
    """Return the experiments whose name, group or comments have each word, and with a source all that it runs."""
    chosen: dict[str, None] = {}
    for group, names in groups().items():
        for name in names:
            text = " ".join((name, group, *comments(FILES[name]))).lower()
            if all(word.lower() in text for word in words):
                chosen |= dict.fromkeys([name, *(_named(FILES[name]) if group == SOURCES else ())])
    return [name for name in chosen if name in FILES]


def pages_about(words: Sequence[str]) -> list[str]:
    """Return the pages of the documentation whose name or title has each word; none where it is not installed."""
    pages = sorted((pathlib.Path(__file__).parents[2] / "docs").glob("*.md"))
    titles = {page.name: f"{page.stem} {page.read_text(encoding='utf-8').splitlines()[0]}".lower() for page in pages}
    return [f"docs/{name}" for name, title in titles.items() if all(word.lower() in title for word in words)]


def _named(path: pathlib.Path) -> list[str]:
    return re.findall(r"\bexperiment=(\w+)", path.read_text(encoding="utf-8"))


def _print(names: Iterable[str], costs: Costs, width: int) -> None:
    """Print the questions of some experiments, beside names that are so wide where they fit, else below them."""
    questions, folder = experiments(), pathlib.Path(Run().dir)
    for name in names:
        is_wide = _columns() - width - 4 >= NARROWEST // 2
        begin = f"  {name:{width}}  " if is_wide else "    "
        if not is_wide:
            print(f"  {name}")
        remarks = "; ".join(each for each in (costs.get(name, (0.0, ""))[1], done(name, folder)) if each)
        line = f"{questions[name]} [{remarks}]" if remarks else questions[name]
        print(_wrapped(line, begin, " " * len(begin)))


def _columns() -> int:
    return max(NARROWEST, shutil.get_terminal_size().columns)


def _wrapped(text: str, first: str, others: str) -> str:
    return textwrap.fill(text, _columns(), initial_indent=first, subsequent_indent=others, break_on_hyphens=False)
