"""From statistics with an axis over the population to the rows of tables and to `summary.json`."""

import dataclasses

import numpy as np

from analysis.metrics.theory import Oracle


def number(values_P) -> float:
    """The population's mean, a plain float."""
    return float(np.mean(np.asarray(values_P, np.float64)))


def statistics(of: dict) -> dict[str, float]:
    """Mean over the population, its standard error, and for several seeds their spread (standard deviation over them).

    Of one seed the error is that over its episodes. Each seed has test episodes of its own, so of several it is
    spread / sqrt(seeds), which holds both what training and what the choice of episodes changes, and in quadrature what
    all seeds have in common: of a table, its test rows.
    """
    seeds = np.size(of["mean"])
    if seeds == 1:
        return {"mean": number(of["mean"]), "stderr": number(of["stderr"])}
    spread = float(np.std(np.asarray(of["mean"], np.float64), ddof=1))
    stderr = float(np.hypot(spread / np.sqrt(seeds), number(of["common"])))
    return {"mean": number(of["mean"]), "stderr": stderr, "spread": spread}


def left_out(of: dict) -> dict[str, int]:
    """How many episodes of all seeds had no value, as a column."""
    return {"left_out": int(np.sum(of["left_out"]))}


def subject_first(of: dict) -> list[tuple[str, dict]]:
    """The items by name, the trained Transformer in front."""
    return sorted(of.items(), key=lambda item: (item[0] != "transformer", item[0]))


def curve_rows(step: int, seeds: list[int], recent: dict[str, np.ndarray], seen: dict) -> list[dict]:
    """A row a member: the step, its seed, of all that is trained the mean training loss since the last row (P, steps),
    every learner's loss, the alignment."""
    return [
        {"step": step, "seed": seed}
        | {f"train_loss.{name}": float(of[member].mean()) if step else None for name, of in recent.items()}
        | {f"loss.{name}": float(of["mean"][member]) for name, of in subject_first(seen["loss"])}
        | {
            f"{name}.{metric}": float(of["mean"][member])
            for name, metrics in seen["alignment"].items()
            for metric, of in metrics.items()
        }
        for member, seed in enumerate(seeds)
    ]


def learner_rows(losses: dict) -> list[dict]:
    return [{"learner": name} | statistics(of) | left_out(of) for name, of in subject_first(losses)]


def seed_rows(seeds: list[int], place: str, results: dict) -> list[dict]:
    """One row per seed and learner of one evaluation (`place`, "test" or a shift): its mean loss, and how the trained
    Transformer aligns with it. Claims are judged on these: seeds are what is independent."""
    return [
        {"seed": seed, "evaluation": place, "learner": name}
        | _of_seed("loss", of, member)
        | {
            key: number
            for metric, values in results["alignment"].get(name, {}).items()
            for key, number in _of_seed(metric, values, member).items()
        }
        for name, of in subject_first(results["loss"])
        for member, seed in enumerate(seeds)
    ]


def alignment_rows(alignment: dict) -> list[dict]:
    return [
        {"with": name, "metric": metric} | statistics(of) | left_out(of)
        for name, metrics in alignment.items()
        for metric, of in metrics.items()
    ]


def shift_rows(places: list[tuple[str, object]], seen: list[dict]) -> list[dict]:
    """A row a shift and learner: its loss there, and how the trained Transformer aligns with it."""
    return [
        {"shift": axis, "value": getattr(value, "name", value), "learner": name}
        | statistics(of)
        | left_out(of)
        | {
            f"{metric}{suffix}": number
            for metric, found in at["alignment"].get(name, {}).items()
            for suffix, number in suffixed(statistics(found))
        }
        for (axis, value), at in zip(places, seen, strict=True)
        for name, of in subject_first(at["loss"])
    ]


def _of_seed(name: str, values: dict, member: int) -> dict[str, float]:
    """A number of one seed and, where there is some, the error that all seeds have in common."""
    common = float(values["common"][member])
    return {name: float(values["mean"][member])} | ({f"{name}.common": common} if common else {})


def shift_name(place: tuple[str, object]) -> str:
    """'alpha=0.5' of a shift's axis and value."""
    axis, value = place
    return f"{axis}={getattr(value, 'name', value)}"


def suffixed(of: dict[str, float]) -> list[tuple[str, float]]:
    """A metric's own number under its name, the others with what they are behind it."""
    return [("" if kind == "mean" else f".{kind}", number) for kind, number in of.items()]


def layer_rows(by_layer: dict) -> list[dict]:
    """A row a learner and layer: the loss of its read-out there."""
    return [
        {"learner": name, "layer": layer} | statistics(of) | left_out(of)
        for name, layers in subject_first(by_layer)
        for layer, of in enumerate(layers, start=1)
    ]


def rate(eta_P: np.ndarray, stderr_P: np.ndarray) -> dict[str, float]:
    """A line search's `eta` and, where it is known (for one step), `eta_stderr`: each seed has episodes of its own."""
    if not np.isfinite(stderr_P).all():
        return {"eta": number(eta_P)}
    error = np.sqrt(np.sum(np.square(stderr_P, dtype=np.float64))) / np.size(stderr_P)
    return {"eta": number(eta_P), "eta_stderr": float(error)}


def summarise(seen: dict, rates: dict[str, dict], oracle: Oracle | None) -> dict:
    """What a comparison's summary says of its learners. `rates`: those of the learners that have some."""
    learners = {who: {"loss": statistics(of)} | rates.get(who, {}) for who, of in subject_first(seen["loss"])}
    theory = None
    if oracle is not None:
        theory = {key: number(value) for key, value in dataclasses.asdict(oracle).items()} | {
            "steps": 1,
            # on the same episodes, so the difference has a far smaller error than either loss
            "excess_of_transformer": statistics(seen["alignment"]["oracle"]["loss_difference"]),
        }
    return {
        "learners": learners,
        "alignment": {who: _aligned(metrics) for who, metrics in seen["alignment"].items()},
        "oracle": theory,
    }


def numbers(learners: dict[str, dict], alignment: dict[str, dict]) -> dict[str, float]:
    """A comparison's headline numbers by flat names: losses, gradient descent's eta and alignments of a summary, each
    followed by its `.stderr` and, for several seeds, its `.spread`."""
    flat = {}
    for name, learner in learners.items():
        flat |= {f"loss.{name}{suffix}": value for suffix, value in suffixed(learner["loss"])}
        if "eta" in learner and name == "gradient_descent":
            flat["eta"] = learner["eta"]
    for name, metrics in alignment.items():
        kinds = [kind for kind in ("stderr", "spread") if kind in metrics]
        for metric in metrics["stderr"]:
            flat[f"{name}.{metric}"] = metrics[metric]
            flat |= {f"{name}.{metric}.{kind}": metrics[kind][metric] for kind in kinds}
    return flat


def _aligned(metrics: dict) -> dict:
    """Each metric's mean; under `stderr` and, for several seeds, `spread` the rest of its statistics."""
    found = {metric: statistics(of) for metric, of in metrics.items()}
    kinds = [kind for kind in ("stderr", "spread") if kind in found["prediction_l2"]]
    return (
        {metric: of["mean"] for metric, of in found.items()}
        | {kind: {metric: of[kind] for metric, of in found.items()} for kind in kinds}
        | {"zero_gradients": int(np.sum(metrics["sensitivity_cosine"]["left_out"]))}
    )
