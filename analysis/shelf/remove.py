"""`python run.py runs remove WORD ...`: removes what the lab wrote of the runs that the words choose.

Without the word `yes=true` it only shows what would go. Finished and failed runs can be removed; with the word
`stopped` also those that were stopped half-way, which their command would finish; never one at work. The word `stale`
leaves only those that are marked so in the list.
"""

import pathlib

from analysis.shelf import page, words
from analysis.shelf.item import Item, differing, marked, read_all
from analysis.shelf.terminal import print_list, print_total, size
from lab.errors import ConfigError
from lab.runs import remove as removal
from lab.runs.console import say
from lab.runs.scan import State

YES = "yes=true"


def remove(folder: str, own_words: list[str], chosen: list[str]) -> None:
    """Show what would be removed, and with `yes=true` remove it.

    Args:
        folder: a run.dir.
        own_words: `use=FILE` of the command line, which is imported already.
        chosen: words that choose runs, and yes=true.

    Raises:
        ConfigError: no word chooses anything.
        UserError: a process works on one of them, or a file cannot be removed.
    """
    query = words.parse([word for word in chosen if word != YES])
    if wrong := [value for key, value in query.settings if key == "yes"]:
        raise ConfigError(f"yes={wrong[0]}: allowed is {YES}")
    if not query.chooses:
        raise ConfigError("runs remove: no word says which; give one that `python run.py runs WORD` lists them by")
    items = read_all(folder)
    items = marked(items, own_words) if query.stale else items
    states = {State.done, State.failed} | ({State.stopped} if State.stopped.name in chosen else set())
    matching = words.choose(items, query)
    going = [item for item in matching if item.listed.state in states]
    if going:
        print_list(going, differing(items), by_experiment=query.sort == "name")
        print_total(going, len(items), folder)
    _say_kept(matching, going)
    if not going:
        return say("nothing to remove")
    bytes_written = sum(path.lstat().st_size for item in going for path in removal.written(item.path))
    if YES not in chosen:
        return say(f"would remove {size(bytes_written)} that the lab wrote of them; add {YES} to do it")
    left = [item for item in going if not removal.remove(item.path)]
    say(f"removed {size(bytes_written)}")
    if (pathlib.Path(folder) / page.NAME).is_file():
        page.write(folder, marked(read_all(folder), own_words))
    for item in left:
        say(f"note: {item.path} has files that the lab did not write; they are left")


def _say_kept(matching: list[Item], going: list[Item]) -> None:
    """Say which of the chosen runs are not removed, and why."""
    for item in matching:
        if item.listed.state is State.running:
            say(f"note: {item.path} is kept, as a process works on it")
        elif item.listed.state is State.stopped and item not in going:
            say(f"note: {item.path} is kept, as its command would go on from there; add the word stopped to remove it")
