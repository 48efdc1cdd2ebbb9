"""The errors that are stated, held against other seeds."""

import itertools

import numpy as np
import pytest

from analysis.figures.estimates import Estimate, estimate
from analysis.tables.select import group_by, table
from lab.config import points
from lab.runs.directory import RunDirectory
from trainers.launch import launch

WORDS = [
    "experiment=plain", "seeds=20", "task.input_dim=3", "train.steps=200", "train.batch_size=64",
    "train.learning_rate=0.01", "train.eval_every=200", "eval.episodes=400", "baselines.line_search_episodes=2000",
]  # fmt: skip
METRICS = ("loss", "loss_difference", "prediction_l2", "sensitivity_cosine", "sensitivity_l2")


@pytest.mark.slow
def test_an_interval_of_one_sigma_covers_the_mean_of_the_other_seeds(tmp_path, optimized):
    """20 seeds, in many ways of four fives: 62% are expected (tests/analysis/test_evidence.py); five numbers of a few
    learners, which go together, say that to some 8%."""
    point = points.point([*WORDS, f"run.dir={tmp_path}"])
    launch(point)
    rows = [row for row in table(RunDirectory.of(point.settings), "seeds") if row["evaluation"] == "test"]
    rng, covered = np.random.default_rng(0), []
    for learner, metric in itertools.product(("gradient_descent", "ridge", "mean", "shuffled"), METRICS):
        values = estimate(group_by(rows, "learner")[learner], metric).by_seed
        assert len(values) == 20
        for _ in range(50):
            for chosen in np.split(rng.permutation(20), 4):
                few = Estimate({seed: values[seed] for seed in chosen})
                rest = np.mean([value for seed, value in values.items() if seed not in chosen])
                covered.append(abs(few.mean - rest) < few.half_width(0.683))
    assert 0.55 < np.mean(covered) < 0.80
