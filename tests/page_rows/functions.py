"""Rows of docs/functions.md."""

from collections.abc import Callable, Sequence

import numpy as np

from tests.page_rows.cells import RESULTS, by_seed, large, mean, read, row, with_error

PAGE = "functions.md"


def error(figure: str, learner: str, examples: int, **where: object) -> np.ndarray:
    return by_seed(figure, "seeds", "error", learner=learner, examples=examples, **where)


def linear() -> list[str]:
    """Linear functions: the decoder without and with noise, ridge regression, and their ratio less 1."""
    lines = []
    for count in (1, 3, 5, 7, 10, 13, 15):
        plain = error("functions_linear", "decoder", count, **{"task.noise": 0})
        noisy, ridge = (error("functions_linear", name, count, **{"task.noise": 1}) for name in ("decoder", "optimal"))
        cells = [mean(each, 4) for each in (plain, noisy, ridge)]
        lines.append(row(count, *cells, with_error(noisy / ridge - 1)))
    return lines


def _error(values: np.ndarray) -> str:
    if np.mean(values) >= 10:
        return large(values)
    return "0" if np.mean(values) < 1e-6 else with_error(values)


def budgets(figure: str, first: float, last: float, others: Sequence[str]) -> Callable[[], list[str]]:
    """Return what makes one row per budget: the decoder's mean error and distance, and the errors of other learners."""

    def lines() -> list[str]:
        rows = read(figure, "seeds")
        steps = sorted({int(each["train.steps"]) for each in rows})
        counts = sorted({int(each["examples"]) for each in rows if first <= int(each["examples"]) <= last})

        def over(column: str, learner: str, count: int) -> np.ndarray:
            place = {"train.steps": count, "learner": learner}
            return np.mean([by_seed(figure, "seeds", column, examples=n, **place) for n in counts], axis=0)

        return [
            row(
                count,
                with_error(over("error", "decoder", count)),
                with_error(over("distance", "decoder", count)),
                *(_error(over("error", name, count)) for name in others),
            )
            for count in steps
        ]

    return lines


def plateau() -> list[str]:
    """Training with and without a curriculum: losses on whole prompts along the way, and the error after d examples."""
    figure, d = "curriculum_plateau", 20

    def of(part: str) -> list[np.ndarray]:
        losses = [
            by_seed(figure, "curves", "loss.decoder", part=part, step=step)
            for step in (300, 400, 500, 1000, 2000, 3000, 4000)
        ]
        return [*losses, error(figure, "decoder", d, part=part)]

    whole, growing = of("whole"), of("growing")
    differences = [with_error(b - a, 3) for a, b in zip(whole, growing, strict=True)]
    return [
        row("whole prompts", *(with_error(each, 2) for each in whole)),
        row("curriculum", *(with_error(each, 2) for each in growing)),
        row("difference, paired", *differences),
    ]


TABLES = {"linear": linear}
KEPT_LATER = {  # of figures whose tables may not be kept yet
    "sparse_budgets": budgets("sparse_budgets", 4, 7, ("least_squares", "lasso")),
    "tree_budgets": budgets("tree_budgets", 4, 23, ("optimal", "nearest")),
    "curriculum_plateau": plateau,
}
TABLES |= {name: lines for name, lines in KEPT_LATER.items() if (RESULTS / name).is_dir()}
