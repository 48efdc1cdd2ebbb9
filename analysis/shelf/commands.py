"""`python run.py runs ...` and `python run.py report=DIR`: commands about existing runs. Nothing is run; no JAX.

The first word after `runs` is a command, or the first of the words that choose what is listed.
"""

import shlex
import sys
import webbrowser
from collections.abc import Callable

from analysis.shelf import terminal, words
from analysis.shelf.compare import compare, find
from analysis.shelf.item import STALE, differing, marked, read_all
from lab.config.imported import PROGRAM
from lab.config.override import parse
from lab.config.user_code import WORD
from lab.errors import ConfigError, printable
from lab.runs.outdated import print_stale

FOLDER = "runs"  # the default of run.dir
HELP = ("help", "--help", "-h")
USAGE = f"""\
{PROGRAM} runs [WORD ...]        lists the runs in runs/
{PROGRAM} runs compare A B       settings and numbers of two runs (directories or hashes), with errors
{PROGRAM} runs open A ...        opens the reports of runs in a browser
{PROGRAM} runs paths WORD ...    prints their directories alone: rm -r $({PROGRAM} runs paths failed)
{PROGRAM} runs stale             says why finished runs are not what their commands make today

A WORD chooses runs, and several choose those that all of them fit:
  rag_dot, a766db701a, bayes     an experiment, a hash or its beginning, a part of a question or an answer
  {", ".join(words.STATES)}  a state
  {STALE}                          finished, but not what its command makes today; beside at least one other word
  train.steps=2000               a setting; KEY=A,B is either
  sort={"|".join(words.SORTS)}     the order
  run.dir=DIR                    another folder than runs/"""


def answer(words: list[str]) -> None:
    """Answer a command line.

    Args:
        words: `runs`, then a command or words that choose runs; or report=DIR. In any place run.dir=DIR, and use=FILE,
            which is imported already.

    Raises:
        UserError: a word is not allowed, or chooses no run.
    """
    own_words = [word for word in words if WORD.match(word)]
    if words[0] != "runs":
        from analysis.report.redraw import redraw  # Matplotlib is imported here

        return redraw([word for word in words if word not in own_words])
    places = [word for word in words if word.startswith("run.dir=")]
    others = [word for word in words[1:] if word not in (*own_words, *places)]
    folder = parse(places[-1]).value if places else FOLDER
    if not isinstance(folder, str):
        raise ConfigError(f"{places[-1]}: one folder, run.dir=DIR")
    if not folder:
        raise ConfigError("run.dir=: an empty name; give run.dir=DIR, or leave the word out")
    if any(word in HELP for word in others):
        return print(USAGE)
    name = others[0] if others and others[0] in COMMANDS else ""
    if name == STALE and len(others) > 1:  # with further words it chooses runs instead
        name = ""
    COMMANDS[name](folder, own_words, others[1:] if name else others)


def _list(folder: str, own_words: list[str], chosen: list[str]) -> None:
    query = words.parse(chosen)
    items = marked(read_all(folder), own_words)
    chosen_items = words.choose(items, query)
    if chosen_items:
        terminal.print_list(chosen_items, differing(chosen_items), by_experiment=query.sort == "name")
    terminal.print_total(chosen_items, len(items), folder)


def _open(folder: str, own_words: list[str], names: list[str]) -> None:
    if not names:
        raise ConfigError(f"runs open: no run was given; give directories or hashes that `{PROGRAM} runs` lists")
    items = read_all(folder)
    for report in [find(name, items).path / "report.html" for name in names]:
        if report.is_symlink() or not report.is_file():
            raise ConfigError(f"runs open: {report.parent} has no report; report={report.parent} draws one")
        webbrowser.open(report.resolve().as_uri())
        print(report)


def _paths(folder: str, own_words: list[str], chosen: list[str]) -> None:
    query = words.parse(chosen)
    if not query.chooses:
        raise ConfigError(f"runs paths: no word says which; give one that `{PROGRAM} runs WORD` lists them by")
    items = read_all(folder)
    for item in words.choose(marked(items, own_words) if query.stale else items, query):
        path = str(item.path)
        if shlex.quote(path) == path:
            print(path)
        else:  # the name may be somebody else's, made to be read as several words
            print(f"note: {printable(path)} is left out, as a shell would not read it as one word", file=sys.stderr)


COMMANDS: dict[str, Callable[[str, list[str], list[str]], None]] = {  # of (folder, words `use=FILE`, other words)
    "": _list,
    "compare": compare,
    "open": _open,
    "paths": _paths,
    STALE: lambda folder, own_words, _: print_stale(folder, own_words),
}
