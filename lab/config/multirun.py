"""Command lines with Hydra's `-m`: the words that list values become the grid of one sweep.

Without a launcher the sweep runs in this process, as any other. With a launcher (joblib's processes, a cluster's jobs)
Hydra starts one job for each compiled program of the sweep, and this process gathers the tables at the end.
"""

import contextlib
import itertools
import os
import pathlib
import re
import shlex
from collections.abc import Iterator, Sequence

from lab.config import own_code
from lab.config.compose import compose
from lab.config.points import axes, parse, point, programs
from lab.config.words import check_launcher, check_options
from lab.errors import ConfigError, explain, short

MULTIRUN = ("-m", "--multirun")
HELP = ("-h", "--help")
RERUN = "--experimental-rerun"  # Hydra accepts any of its beginnings as well
LONGEST = 10_000  # characters of a stored command that is read; the grammar takes a millisecond for a few of them
STORED = re.compile(r"-m|--multirun|~[\w.-]+|\+{0,2}(?!(?:hydra|hosts|sweep)\b)\w[\w.-]*=.*", re.ASCII | re.DOTALL)


def commands(words: list[str]) -> list[list[str]]:
    """Return the command lines, without the script's name, that a command line stands for; they are run in turn.

    Each of several experiments (`experiment=fig1,fig2`) is a sweep of its own.

    Raises:
        ConfigError, HydraException, OmegaConfBaseException: the words are not understood.
    """
    if any(RERUN.startswith(word.split("=")[0]) and word.startswith("--e") for word in words):
        raise ConfigError(f"{RERUN}: refused, as Hydra would execute a file; give the words of the run's command")
    check_options(words, (*MULTIRUN, *HELP))
    if not any(word in MULTIRUN for word in words):
        return [words]
    asks_for_help = [word for word in words if word in HELP]
    words = [word for word in words if not word.startswith("-")]
    last = dict(zip((override.get_key_element() for override in parse(words)), words, strict=True))
    words = list(last.values())  # of a key that is given twice, the second word counts
    swept = [word for word, override in zip(words, parse(words), strict=True) if override.is_sweep_override()]
    plain = [word for word in words if word not in swept]
    if asks_for_help:  # it is about the first of the runs
        return [[*plain, *(f"{key}={values[0]}" for key, values in axes(swept).items()), *asks_for_help]]
    experiments = axes([word for word in swept if word.startswith("experiment=")]).get("experiment")
    chosen = [[f"experiment={name}"] for name in experiments] if experiments else [[]]
    grid = [word for word in swept if not word.startswith("experiment=")]
    return list(itertools.chain.from_iterable(_sweep([*plain, *choice], grid) for choice in chosen))


def typed(words: list[str], command: list[str]) -> list[str]:
    """Return the words as a user gave them, of one of the command lines that they stand for (`commands`).

    Words of a launcher, which say where the sweep runs, are left out.
    """
    if not any(word in MULTIRUN for word in words):
        return command
    chosen = [word for word in command if word.startswith("experiment=")]
    return [
        chosen[-1] if word.startswith("experiment=") else word
        for word in words
        if not word.startswith(("hydra/", "hydra."))
    ]


def split(command: str) -> list[str]:
    """Return the words of a `command` that a directory keeps, as they stand there.

    Raises:
        ConfigError: it is too long, or has a quotation without an end.
    """
    if len(command) > LONGEST:
        raise ConfigError(f"its command has {len(command):,} characters, and at most {LONGEST:,} are read")
    try:
        return shlex.split(command)[2:]  # after python run.py
    except ValueError as error:
        raise ConfigError(f"{short(command)}: no command of this lab ({error})") from error


def stored(words: list[str], own_words: Sequence[str] = ()) -> list[str]:
    """Return the words that make a run or sweep, from those of its stored command (`split`), which may have -m.

    The directory may be somebody else's. So a `use=FILE` of the command is left out before anything of it is
    understood, and the user's own word, where there is one, stands in its place.

    Args:
        own_words: `use=FILE` of this command line, which is imported already.

    Raises:
        ConfigError: the command needs a file that is not imported, or has words that the lab keeps in none: options,
            Hydra's own, those of processes and jobs, and `${`, which could read the environment.
        ConfigError, HydraException, OmegaConfBaseException: the words are not understood.
    """
    if wrong := [word for word in words if not STORED.fullmatch(word) or "${" in word]:
        raise ConfigError(f"{short(wrong[0])}: not read from a stored command; allowed are KEY=VALUE and -m")
    files = [word for word in words if own_code.WORD.match(word)]
    if files and not own_words and not own_code.is_imported(files[-1].partition("=")[2].strip("'\"")):
        raise ConfigError(f"it was made with {short(files[-1])}; add that word, and the file is executed")
    words = [word for word in words if word not in files]
    with own_code.closed():
        lines = commands([*words, *(own_words if files else ())])
    if len(lines) != 1:
        raise ConfigError(f"{short(' '.join(words))}: several commands, and a directory keeps one")
    return lines[0]


def _sweep(plain: list[str], grid: list[str]) -> list[list[str]]:
    for_launcher = [word for word in plain if word.startswith(("hydra/", "hydra."))]
    check_launcher(for_launcher)
    plain = [word for word in plain if word not in for_launcher]
    # The other words may need a swept one to be valid (a table's path, say), so composing takes its first value.
    firsts = [f"{key}={values[0]}" for key, values in axes(grid).items()]
    settings = compose([*plain, *firsts])
    if grid:
        declared, more = axes(settings.grid), axes(grid)
        merged = declared | more
        plain.append(_words("grid", [f"{key}={','.join(values)}" for key, values in merged.items()]))
        if not more.keys() <= declared.keys():  # then the experiment's own figure does not know what it would draw
            plain.append(f"figure={settings.SWEEP_FIGURE}")
        settings = compose(plain)
    _let_launchers_find_the_lab()
    launched = any(word.startswith("hydra/launcher=") and word != "hydra/launcher=basic" for word in for_launcher)
    if not launched or not settings.has_points:
        return [plain]
    every = ",".join(map(str, range(len(programs(point(plain).runs)))))
    job = ["-m", *for_launcher, *plain, "sweep.stage=train", f"sweep.program={every}"]
    return [job, [*plain, "sweep.stage=gather"]]


@contextlib.contextmanager
def launcher_explained(words: list[str]) -> Iterator[None]:
    """Turn the error of a launcher whose jobs cannot start into one line.

    A job that has started reports its errors itself.

    Raises:
        ConfigError: the launcher failed.
    """
    try:
        yield
    except Exception as error:
        chosen = [word for word in words if word.startswith("hydra/launcher=")]
        if not chosen or explain(error) is not None:
            raise
        lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
        why = " ... ".join(dict.fromkeys([lines[0], lines[-1]]))
        raise ConfigError(
            f"{chosen[-1]}: its jobs did not run ({why}); leave it out to run the points in this process"
        ) from error


def _let_launchers_find_the_lab() -> None:
    """Add the lab's folder to PYTHONPATH, since the processes of launchers start in other folders."""
    places = [str(pathlib.Path(__file__).parents[2]), os.environ.get("PYTHONPATH")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, places))


def _words(key: str, values: list[str]) -> str:
    """Return KEY=["...", ...] in Hydra's notation."""
    escaped = (value.replace("\\", "\\\\").replace('"', '\\"') for value in values)
    return f"{key}=[" + ",".join(f'"{value}"' for value in escaped) + "]"
