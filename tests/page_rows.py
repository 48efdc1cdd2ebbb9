"""Rows of the tables on pages, computed from the kept tables behind them; `python -m tests.page_rows` prints them.

They are computed here anew, with csv and NumPy alone: no code that draws or judges is used.
"""

import csv
import functools
import math
import pathlib
from collections.abc import Callable, Sequence

import numpy as np

RESULTS = pathlib.Path(__file__).parents[1] / "docs" / "results"
Rows = list[dict[str, str]]


@functools.cache
def read(figure: str, table: str) -> Rows:
    """Return the rows of a kept table."""
    with open(RESULTS / figure / f"{table}.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def by_seed(figure: str, table: str, column: str, **where: object) -> np.ndarray:
    """Return a column of the rows that have these values, one number per seed, in the order of the seeds."""
    chosen = [row for row in read(figure, table) if all(same(row[key], value) for key, value in where.items())]
    values = {row["seed"]: float(row[column]) for row in chosen}
    assert len(values) == len(chosen) > 0, f"{figure}: {column} where {where}"
    return np.array([values[seed] for seed in sorted(values, key=int)])


def same(cell: str, value: object) -> bool:
    return cell == value or (not isinstance(value, str) and math.isclose(float(cell), float(str(value))))


def short(value: float, digits: int = 3) -> str:
    """Return a number with so many decimal places, without a zero in front of the point."""
    text = f"{value:.{digits}f}"
    return text.replace("0.", ".", 1) if text.removeprefix("-").startswith("0.") else text


def mean(values: np.ndarray, digits: int = 3) -> str:
    return short(float(np.mean(values)), digits)


def with_error(values: np.ndarray, digits: int = 3) -> str:
    """Return the mean over seeds and its standard error."""
    return f"{mean(values, digits)} ± {short(float(np.std(values, ddof=1) / len(values) ** 0.5), digits)}"


def large(values: np.ndarray) -> str:
    """Return a mean that may be very large: with three digits, or two and a power of ten."""
    value = float(np.mean(values))
    return short(value) if value < 10 else f"{value:.2g}".replace("e+0", "e")


def row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


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


def errors_of(figure: str, counts: Sequence[int], learners: Sequence[str]) -> Callable[[], list[str]]:
    """Return what makes one row per number of examples, with a column per learner."""

    def lines() -> list[str]:
        return [row(count, *(_error(error(figure, learner, count)) for learner in learners)) for count in counts]

    return lines


def _error(values: np.ndarray) -> str:
    if np.mean(values) >= 10:
        return large(values)
    return "0" if np.mean(values) < 1e-6 else with_error(values)


def pools() -> list[str]:
    """Pools of functions: distances from both exact answers, on new functions and on those of the pool."""
    last = max(float(each["step"]) for each in read("task_diversity", "curves"))
    names = [f"distance_{place}.{other}" for place in ("fresh", "pool") for other in ("dmmse", "ridge")]
    return [
        row(
            size,
            *(mean(by_seed("task_diversity", "curves", name, **{"pool.size": size, "step": last})) for name in names),
        )
        for size in (1, 4, 16, 64, 256, 1024)
    ]


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


def softmax() -> list[str]:
    """Softmax heads: excess over gradient descent, cosine and prediction difference, seeds apart where they differ."""
    names = {"linear": "linear, 1 head", "softmax_1": "softmax, 1 head", "softmax_2": "softmax, 2 heads",
             "softmax_4": "softmax, 4 heads"}  # fmt: skip
    lines = []
    for part, name in names.items():
        place = {"part": part, "evaluation": "test"}
        loss, descent = (
            by_seed("softmax_heads", "seeds", "loss", learner=learner, **place)
            for learner in ("transformer", "gradient_descent")
        )
        aligned = [
            by_seed("softmax_heads", "seeds", column, learner="gradient_descent", **place)
            for column in ("sensitivity_cosine", "prediction_l2")
        ]
        excess = loss / descent - 1
        groups = {"": np.ones(len(excess), bool)}
        if excess.max() > 2 * excess.min() and excess.max() > 0.2:
            low = excess < (excess.min() * excess.max()) ** 0.5 if excess.min() > 0 else excess < 0.2
            groups = {f": {low.sum()} of {len(low)} seeds": low, f", the other {(~low).sum()}": ~low}
        for words, chosen in groups.items():
            values = [excess[chosen], *(each[chosen] for each in aligned)]
            several = chosen.sum() > 1
            first = with_error(values[0]) if several else mean(values[0])
            lines.append(row(name + words, first, *(mean(each) for each in values[1:])))
    return lines


def stacks() -> list[str]:
    """Stacks of five layers: losses, and cosines with gradient descent and GD++."""
    lines = []
    for part, name in (("looped_5", "one layer in a loop"), ("own_5", "weights of their own")):
        place = {"part": part, "evaluation": "test"}
        loss = by_seed("stacks", "seeds", "loss", learner="transformer", **place)
        cosines = [
            by_seed("stacks", "seeds", "sensitivity_cosine", learner=learner, **place)
            for learner in ("gradient_descent", "gd_plus_plus")
        ]
        lines.append(row(name, with_error(loss, 4), mean(cosines[0]), mean(cosines[1], 4)))
    for learner, name in (("gradient_descent", "gradient descent"), ("gd_plus_plus", "GD++, rates for each step")):
        loss = by_seed("stacks", "seeds", "loss", learner=learner, part="own_5", evaluation="test")
        lines.append(row(name, with_error(loss, 4), "", ""))
    return lines


def applied() -> list[str]:
    """Layers that are applied 50 times: losses undamped and damped by .75."""
    names = {
        (1, "transformer"): "a layer that was trained alone",
        (1, "answers_only"): "... and changes y-slots alone",
        (1, "gradient_descent"): "gradient descent, best for 1 step",
        (2, "transformer"): "a layer that was trained in a loop of 2",
        (2, "gradient_descent"): "gradient descent, best for 2 steps",
        (5, "transformer"): "a layer that was trained in a loop of 5",
        (5, "gradient_descent"): "gradient descent, best for 5 steps",
    }
    lines = []
    for (layers, learner), name in names.items():
        place = {"layers": layers, "learner": learner}
        cells = [
            large(by_seed("more_steps", "applications", "loss", damping=damping, applications=50, **place))
            for damping in (1.0, 0.75)
        ]
        trained = by_seed("more_steps", "applications", "loss", damping=1.0, applications=layers, **place)
        lines.append(row(f"{name} ({mean(trained)})", *cells))
    return lines


def shifted() -> list[str]:
    """Prompts that are drawn otherwise: errors of the decoder after 2 d examples."""
    d = 5

    def of(shift: str, *values: float, learner: str = "decoder") -> str:
        place = {"examples": 2 * d, "learner": learner}
        return ", ".join(
            mean(by_seed("prompt_shifts", "shifts", "error", shift=shift, value=value, **place)) for value in values
        )

    factors = (0.333, 0.5, 2, 3)
    return [
        row("none", of("same", 1)),
        row("skewed covariance, eigenvalues ∝ 1/i²", of("skewed", 1)),
        row("a subspace of half of the dimensions", of("subspace", 1)),
        row("prompt and query in different orthants", of("orthants", 1)),
        row("the query is one of the examples", of("repeated", 1)),
        row("x times 1/3, 1/2, 2, 3", of("scale of x", *factors)),
        row("f times 1/3, 1/2, 2, 3", of("scale of f", *factors)),
        row("noise 1", f"{of('noise', 1)} (least squares {of('noise', 1, learner='least_squares')})"),
    ]


def sines() -> list[str]:
    """Sine waves: losses, and alignment of the trained Transformer with the descents."""
    names = {
        "transformer": "trained Transformer",
        "learned_descent": "descent on learned features",
        "own_descent": "descent on the Transformer's features, at the best rate",
        "gradient_descent": "gradient descent on x",
    }
    lines = []
    for learner, name in names.items():
        place = {"learner": learner, "evaluation": "test"}
        loss = by_seed("sine", "seeds", "loss", **place)
        aligned = ["", ""]
        if learner != "transformer":
            aligned = [
                with_error(by_seed("sine", "seeds", f, **place)) for f in ("sensitivity_cosine", "prediction_l2")
            ]
        lines.append(row(name, with_error(loss, 4), *aligned))
    return lines


def interleaved() -> list[str]:
    """Interleaved tokens, by the first layer: losses, and alignment with three learners and with the construction."""
    parts = ("softmax", "linear", "linear_muon")

    def of(column: str, part: str, learner: str = "transformer") -> np.ndarray:
        return by_seed("interleaved", "seeds", column, part=part, learner=learner, evaluation="test")

    def listed(values: np.ndarray) -> str:
        return ", ".join(short(float(value)) for value in values)

    def each_seed(values: np.ndarray) -> str:
        """The mean where all seeds are alike; else every seed, in their order."""
        return mean(values) if np.ptp(values) < 0.02 else listed(values)

    excess = {part: of("loss", part) / of("loss", part, "gradient_descent") - 1 for part in parts}
    aligned = {
        "cosine with the constructed one": ("sensitivity_cosine", "constructed"),
        "cosine with two steps of gradient descent": ("sensitivity_cosine", "further_descent"),
        "cosine with GD++": ("sensitivity_cosine", "gd_plus_plus"),
        "difference of predictions from the constructed one": ("prediction_l2", "constructed"),
    }
    return [
        row("loss", *(with_error(of("loss", part)) for part in parts)),
        row("of each seed", *(listed(of("loss", part)) for part in parts)),
        row("loss / one step's - 1", *(with_error(excess[part], 4) for part in parts)),
        *(
            row(name, *(each_seed(of(column, part, learner)) for part in parts))
            for name, (column, learner) in aligned.items()
        ),
    ]


def thresholds() -> list[str]:
    """The threshold of task diversity by the number of inputs: log2 M at half of the steps and at the end."""
    rows = read("diversity_scaling", "curves")
    last = max(float(each["step"]) for each in rows)
    lines = []
    for part in sorted({each["part"] for each in rows}):
        cells = [_crossings(part, step) for step in (last / 2, last)]
        shown = ["not in every seed" if np.isnan(each).any() else with_error(each, 2) for each in cells]
        lines.append(row(part.removeprefix("inputs_"), *shown))
    return lines


def _crossings(part: str, step: float) -> np.ndarray:
    """Return log2 M where the distances from dMMSE and from ridge are alike, for each seed; NaN where they never are.

    It is the last size with a decoder that is nearer to dMMSE; behind it there must be one that is not.
    """
    sizes = sorted({float(each["pool.size"]) for each in read("diversity_scaling", "curves") if each["part"] == part})
    ratios = []
    for size in sizes:
        place = {"part": part, "step": step, "pool.size": size}
        dmmse, ridge = (
            by_seed("diversity_scaling", "curves", f"distance_fresh.{other}", **place) for other in ("dmmse", "ridge")
        )
        ratios.append(np.log2(dmmse / ridge))
    places = np.log2(sizes)
    result = []
    for ratio in np.array(ratios).T:
        below = max((i for i in range(len(places)) if ratio[i] <= 0), default=-1)
        if not 0 <= below < len(places) - 1:
            result.append(np.nan)
            continue
        share = -ratio[below] / (ratio[below + 1] - ratio[below])
        result.append(places[below] + share * (places[below + 1] - places[below]))
    return np.array(result)


def quick() -> list[str]:
    """What `size=quick` took for each source, and how many claims its report has, by what it says of them."""
    profiles = read(".", "quick_profiles")
    counts = [(each, *(int(each[name]) for name in ("claims", "verdicts", "one_seed"))) for each in profiles]
    return [
        row(
            f"`{each['experiment']}`",
            round(int(each["seconds"]) / 60),
            claims,
            verdicts,
            alone,
            claims - verdicts - alone,
        )
        for each, claims, verdicts, alone in counts
    ]


KEPT_LATER: dict[str, tuple[str, Callable[[], list[str]]]] = {  # of figures whose tables may not be kept yet
    "sparse_budgets": ("functions.md", budgets("sparse_budgets", 4, 7, ("least_squares", "lasso"))),
    "tree_budgets": ("functions.md", budgets("tree_budgets", 4, 23, ("optimal", "nearest"))),
    "diversity_scaling": ("functions.md", thresholds),
}
TABLES: dict[str, tuple[str, Callable[[], list[str]]]] = {  # {name: (page, what makes its rows)}
    "linear": ("functions.md", linear),
    "sparse": (
        "functions.md",
        errors_of("functions_sparse", (4, 6, 8, 16), ("decoder", "least_squares", "lasso", "optimal")),
    ),
    "tree": (
        "functions.md",
        errors_of(
            "functions_tree",
            (4, 8, 20),
            ("decoder", "optimal", "greedy_tree", "tree_boosting", "sign_tree", "sign_boosting", "nearest"),
        ),
    ),
    "network": (
        "functions.md",
        errors_of("functions_network", (4, 8, 12, 16, 23), ("decoder", "prompt_network", "nearest", "least_squares")),
    ),
    "pools": ("functions.md", pools),
    "shifted": ("functions.md", shifted),
    "softmax": ("vo23.md", softmax),
    "stacks": ("vo23.md", stacks),
    "applied": ("vo23.md", applied),
    "sines": ("tokens-and-features.md", sines),
    "interleaved": ("tokens-and-features.md", interleaved),
    "quick": ("report.md", quick),
}
TABLES |= {name: each for name, each in KEPT_LATER.items() if (RESULTS / name).is_dir()}

if __name__ == "__main__":
    for name, (page, lines) in TABLES.items():
        print(f"\n{page}: {name}", *lines(), sep="\n")
