"""When two configurations are one run, with the same results, and when they are one program with other numbers."""

import dataclasses
import functools
import hashlib
import json

from omegaconf import OmegaConf

from lab.config.comparison import Config

# Results do not depend on these, but for the precision.
HOW = ("run", "device", "hosts", "sweep", "checkpoint", "tracker")


def result_keys(config: Config) -> dict:
    """The part of a configuration that its results depend on: all but where they are put, how, and on which device."""
    plain = OmegaConf.to_container(OmegaConf.structured(config), enum_to_str=True)
    if plain["data"] is not None:  # where the files are; what they are is verified
        plain["data"] = {key: value for key, value in plain["data"].items() if key not in ("dir", "path")}
    precision = {"precision": plain["device"]["precision"]}
    plain["eval"].pop("chunk")
    plain["population"].pop("chunk")
    return {key: value for key, value in plain.items() if key not in HOW} | precision


def config_hash(config: Config) -> str:
    """Ten hexadecimal digits of what the results depend on: the same settings have the same name."""
    text = json.dumps(result_keys(config), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:10]


NUMBERS = (  # what differs in these alone trains together: they are traced (`trainers.population.Member` holds them)
    "seed",
    "eval.seed",
    "train.learning_rate",
    "train.init_scale",
    "train.clip_norm",
    "baselines.init_std",
    "baselines.ridge_penalty",
    "baselines.gd_plus_plus.learning_rate",
)
TABLES = ("data.normalization", "data.split_seed")  # these give other tables of the same shape


def program_keys(config: Config) -> dict:
    """The part of a configuration that its compiled programs depend on: results' keys less what is traced."""
    plain = result_keys(config) | {"chunk": config.population.chunk}
    numbers = [*NUMBERS, *(f"task.{f.name}" for f in dataclasses.fields(config.task) if f.type is float)]
    numbers += TABLES if config.data else ()
    for number in numbers:
        *sections, key = number.split(".")
        functools.reduce(dict.__getitem__, sections, plain).pop(key)
    return plain
