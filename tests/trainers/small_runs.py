"""Small programs of a comparison as launching runs them, and all that they leave, for tests of what is done again."""

import json

from experiments.regression.comparison import run as experiment
from tests.trainers.sessions import records_of
from trainers import pending

TINY = [
    "experiment=plain", "train.steps=8", "train.eval_every=2", "train.batch_size=8", "eval.episodes=20",
    "baselines.line_search_episodes=100", "checkpoint.every=0",
]  # fmt: skip
FILES = ("curves.csv", "learners.csv", "alignment.csv", "layers.csv")


def made(tmp_path, *points, words=()):
    """The records of a program: one per point."""
    return records_of(*points, words=[*TINY, *words, f"run.dir={tmp_path}"])


def run(records):
    """As launching runs what it has grouped."""
    with pending.at_work(records):
        experiment.run(records)


def results(runs):
    texts = {(one.settings.seed, file): (one.place.path / file).read_text() for one in runs for file in FILES}
    metrics = [
        [json.loads(line)["members"] for line in (one.place.path / "metrics.jsonl").read_text().splitlines()]
        for one in runs
    ]
    return texts, metrics, [(one.place.path / "learner_transformer.npz").stat().st_size for one in runs]
