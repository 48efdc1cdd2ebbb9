"""Command lines with `-m`: the overrides that list values become the grid of one sweep.

Without a launcher the sweep runs in this process, as any other. With one, `launcher=joblib`, every compiled program of
the sweep is a job of its own (`lab.runs.launchers`), and this process gathers the tables at the end.
"""

import itertools
import re
import shlex
from collections.abc import Sequence

from lab.config import user_code
from lab.config.compose import compose
from lab.config.convert import LOGICAL, NUMBER, WHOLE
from lab.config.convert import LONGEST as LONGEST_NUMBER
from lab.config.identity import iter_settings
from lab.config.imported import without_program
from lab.config.override import axes, parse, quoted
from lab.config.points import point, programs
from lab.errors import ConfigError, names_allowed, short

MULTIRUN = ("-m", "--multirun")
LAUNCHERS = ("joblib", "submitit_local", "submitit_slurm")
HELP = ("-h", "--help")
LAUNCHER = ("launcher=", "launcher.")
LONGEST = 10_000  # characters of a stored command that is read
STORED = re.compile(r"-m|--multirun|~[\w.-]+|\+{0,2}(?!(?:launcher|hosts|sweep)\b)\w[\w.-]*=.*", re.ASCII | re.DOTALL)


def commands(words: list[str]) -> list[list[str]]:
    """Return the command lines, without the script's name, that a command line with `-m` stands for; they run in turn.

    Each of several experiments (`experiment=fig1,fig2`) is a sweep of its own. A result that begins with `-m` is for a
    launcher.

    Raises:
        ConfigError: an override is not understood.
    """
    for word in words:
        if word.startswith("-") and word not in (*MULTIRUN, *HELP):
            raise ConfigError(
                f"{short(word)}: no such option; allowed: {', '.join((*MULTIRUN, *HELP))}, and words KEY=VALUE"
            )
    if not any(word in MULTIRUN for word in words):
        for word in words:
            if word.startswith(LAUNCHER):
                raise ConfigError(f"{short(word)}: a launcher runs the points of a sweep; give it with -m")
        return [words]
    asks_for_help = [word for word in words if word in HELP]
    last = {word.partition("=")[0]: word for word in words if not word.startswith("-")}
    words = [*last.values()]  # if a key is given twice, the last value counts
    swept = [word for word in words if parse(word).options]
    plain = [word for word in words if word not in swept]
    if asks_for_help:  # help describes the first run
        return [[*plain, *(f"{key}={values[0]}" for key, values in axes(swept).items()), *asks_for_help]]
    experiments = axes([word for word in swept if word.startswith("experiment=")]).get("experiment")
    chosen = [[f"experiment={name}"] for name in experiments] if experiments else [[]]
    grid = [word for word in swept if not word.startswith("experiment=")]
    return list(itertools.chain.from_iterable(_sweep([*plain, *choice], grid) for choice in chosen))


def typed(words: list[str], command: list[str]) -> list[str]:
    """Return the user's own overrides for one of the command lines that `commands` made of them.

    Overrides of a launcher, which say where the sweep runs, are left out.
    """
    if not any(word in MULTIRUN for word in words):
        return command
    chosen = [word for word in command if word.startswith("experiment=")]
    return [chosen[-1] if word.startswith("experiment=") else word for word in words if not word.startswith(LAUNCHER)]


def split(command: str) -> list[str]:
    """Return the parts of a directory's stored `command`, unchanged.

    Raises:
        ConfigError: it is too long, or has a quotation without an end.
    """
    if len(command) > LONGEST:
        raise ConfigError(f"its command has {len(command):,} characters, and at most {LONGEST:,} are read")
    try:
        return without_program(shlex.split(command))
    except ValueError as error:
        raise ConfigError(f"{short(command)}: no command of this lab ({error})") from error


def stored(words: list[str], own_words: Sequence[str] = ()) -> list[str]:
    """Return the overrides that make a run or sweep, from its stored command (`split`), which may have -m.

    The directory may be somebody else's, so a `use=FILE` of the stored command is dropped before anything else is read.
    The `use=FILE` of the present command line, if any, takes its place.

    Args:
        own_words: `use=FILE` of this command line, which is imported already.

    Raises:
        ConfigError: the command needs a file that is not imported, has parts that the lab never stores (options, and
            overrides of processes and jobs), or is not understood.
    """
    if wrong := [word for word in words if not STORED.fullmatch(word)]:
        raise ConfigError(f"{short(wrong[0])}: not read from a stored command; allowed are KEY=VALUE and -m")
    files = [word for word in words if user_code.WORD.match(word)]
    if files and not own_words and not user_code.is_imported(files[-1].partition("=")[2].strip("'\"")):
        raise ConfigError(f"it was made with {short(files[-1])}; add that word, and the file is executed")
    words = [word for word in words if word not in files]
    with user_code.closed():
        lines = commands([*words, *(own_words if files else ())])
    if len(lines) != 1:
        raise ConfigError(f"{short(' '.join(words))}: several commands, and a directory keeps one")
    return lines[0]


def _sweep(plain: list[str], grid: list[str]) -> list[list[str]]:
    for_launcher = [word for word in plain if word.startswith(LAUNCHER)]
    _check_launcher(for_launcher)
    plain = [word for word in plain if word not in for_launcher]
    # Other overrides may be valid only with a swept key (a table's path, say), so composing takes its first value.
    settings = compose([*plain, *(f"{key}={values[0]}" for key, values in axes(grid).items())])
    if grid:
        texts = {one.key: one.value for one in iter_settings(settings)}
        declared, more = axes(settings.grid), axes(grid)
        more = {key: [_plain(value, texts.get(key)) for value in values] for key, values in more.items()}
        merged = [quoted(f"{key}={','.join(values)}") for key, values in (declared | more).items()]
        plain.append(f"grid=[{','.join(merged)}]")
        if not more.keys() <= declared.keys():  # the experiment's own figure knows nothing of the added keys
            plain.append(f"figure={settings.SWEEP_FIGURE}")
        settings = compose(plain)
    if not for_launcher or not settings.has_points:
        return [plain]
    every = ",".join(map(str, range(len(programs(point(plain).runs)))))
    job = ["-m", *for_launcher, *plain, "sweep.stage=train", f"sweep.program={every}"]
    return [job, [*plain, "sweep.stage=gather"]]


def _plain(value: str, example: object) -> str:
    """Return a number or truth value in its one spelling, so that a sweep has one name. Texts stay as they are.

    Args:
        example: a value of the key.
    """
    if isinstance(example, str | list | dict):
        return value
    if value.lower() in LOGICAL:
        return str(LOGICAL[value.lower()])
    if WHOLE.fullmatch(value) and len(value) < LONGEST_NUMBER:
        return str(int(value))
    return str(float(value)) if NUMBER.fullmatch(value) else value


def _check_launcher(words: list[str]) -> None:
    """Check that the overrides choose a launcher, if there are any.

    Raises:
        ConfigError: there is no such launcher, or a key has none.
    """
    chosen = [word.partition("=")[2] for word in words if word.startswith("launcher=")]
    if chosen and chosen[-1] not in LAUNCHERS:
        raise ConfigError(f"launcher={short(chosen[-1])}: no such launcher; {names_allowed(chosen[-1], LAUNCHERS)}")
    if words and not chosen:
        raise ConfigError(f"{words[0].split('=')[0]}: of a launcher, and none is chosen; add launcher=NAME")
