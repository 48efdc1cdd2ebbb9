"""The answers to `python run.py` and `python run.py list`: the names of all experiments, and their questions."""

import pathlib
import re
import shutil
import textwrap
from collections.abc import Iterable, Mapping, Sequence

from lab.config.base import Run
from lab.config.experiments import GROUPS, comments, done, experiments, groups
from lab.config.imported import PROGRAM
from lab.config.kinds import FILES
from lab.errors import ConfigError, printable, short

SOURCES = GROUPS[0]  # the group of experiments that name others, which answer for the same source
NARROWEST = 40  # columns of the narrowest terminal: lines are never made shorter
Costs = Mapping[str, tuple[float, str]]  # {experiment: seconds, and how long it takes in words}


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
