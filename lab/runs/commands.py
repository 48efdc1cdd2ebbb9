"""`python run.py runs COMMAND ...`: questions about the runs below a folder. Nothing is run; JAX is not imported."""

from collections.abc import Callable

from lab.config.own_code import WORD
from lab.config.points import parse
from lab.errors import ConfigError
from lab.runs.stale import print_stale

COMMANDS: dict[str, Callable[[str, list[str]], None]] = {"stale": print_stale}  # of (folder, words `use=FILE`)
FOLDER = "runs"  # the default of run.dir


def answer(words: list[str]) -> None:
    """Answer a command line, given without its first word.

    Args:
        words: the name of a command, and run.dir=DIR and use=FILE in any order; the file is imported already.

    Raises:
        ConfigError: there is no such command, or it has no such word.
    """
    own_words = [word for word in words if WORD.match(word)]
    name, *others = [word for word in words if word not in own_words] or [""]
    if name not in COMMANDS:
        raise ConfigError(f"runs {name}".rstrip() + f": no such command; allowed: runs {', runs '.join(COMMANDS)}")
    folders = [str(each.value()) for each in parse(others) if each.get_key_element() == "run.dir"]
    if len(folders) != len(others):
        raise ConfigError(f"runs {name} {' '.join(others)}: allowed beside it are run.dir=DIR and use=FILE")
    COMMANDS[name]((folders or [FOLDER])[-1], own_words)
