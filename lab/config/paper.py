"""A paper's experiments, each as a command line of its own. No JAX here, since a launcher asks how many there are."""

from hydra.core.override_parser.overrides_parser import OverridesParser

from lab.config.comparison import Config
from lab.config.compose import compose
from lab.config.experiments import experiments
from lab.errors import ConfigError

PAPERS_OWN = ("experiment", "paper", "name", "figure")


def command_lines(config: Config, words: list[str]) -> dict[str, list[str]]:
    """{experiment: the words that run it alone}: those of the profile, then those of the command line, which win. Words
    about data go only to experiments that have some.

    Raises:
        ConfigError: no such experiment, or it is no comparison.
    """
    if unknown := config.paper.experiments.keys() - experiments().keys():
        raise ConfigError(
            f"paper.{config.paper.profile.name}: no such experiment: {', '.join(sorted(unknown))}; "
            f"allowed: {', '.join(experiments())}"
        )
    given = {word: key for word in words if _section(key := _key(word)) not in PAPERS_OWN}
    found = {}
    for name, profile in config.paper.experiments.items():
        alone = [f"experiment={name}", *(word for word in profile if _key(word) not in given.values())]
        of = compose(alone)
        if of.benchmark.axes or of.paper.experiments:
            raise ConfigError(f"paper.{config.paper.profile.name}: {name} trains no learners that could be compared")
        has_data = of.data is not None
        found[name] = [*alone, *(word for word, key in given.items() if has_data or _section(key) != "data")]
    return found


def _key(word: str) -> str:
    (override,) = OverridesParser.create().parse_overrides([word])
    return override.key_or_group


def _section(key: str) -> str:
    """`data` of data.dir, `hydra` of hydra/launcher."""
    return key.split(".")[0].split("/")[0]
