"""Rows of docs/click-streams.md."""

from collections.abc import Callable, Sequence

import numpy as np

from tests.page_rows.cells import by_seed, read, row, short, with_error, with_further

Numbers = Callable[..., np.ndarray]  # figure, table, column and where -> numbers by seed

PAGE = "click-streams.md"
PARTS = {
    "sliding": "sliding window, k = 1",
    "naive": "`naive`, DTI-",
    "naive_10": "`naive`, DTI-, k = 10",
    "no_id": "`no_id`",
    "alibi": "`alibi`",
    "reset": "`reset`",
    "dti": "`dti`, both",
    "whole": "`dti`, whole reset",
    "dti_mild": "`dti`, weak reset",
    "own": "`own`",
    "split": "`split`",
    "deep_split": "`split`, 4 layers",
    "shallow_split": "`split`, 2 layers",
    "shallow_naive": "`naive`, 2 layers",
    "short_sliding": "sliding window, fewer steps",
}
CONVERGED = ("sliding", "naive", "no_id", "alibi", "reset", "dti", "own", "split", "short_sliding")
LONG = ("sliding", "naive_10", "naive", "no_id", "alibi", "reset", "dti", "own", "split")
FAR = ("sliding", "naive", "dti", "own", "split", "deep_split", "shallow_naive", "shallow_split")
LEARNED = ("sliding", "naive", "no_id", "alibi", "reset", "dti", "split")
EARLY = ("sliding", "naive", "alibi", "reset", "dti", "split")
FINETUNED = ("sliding", "naive", "dti", "dti_mild", "split", "untrained")
LOSSES = ("log_loss", "f1")
SETTINGS = ("train.learning_rate", "model.slope", "model.ymax", "model.early")  # that dti_fair chooses
BEST, SLIDING, STREAMING = "bayes_window", "sliding", "streaming"


def converged() -> list[str]:
    """AUC and log loss at the end of a long training, on sliding windows, and what it took per model."""
    lines = []
    for part in CONVERGED:
        auc, paired, below, gap, _ = _beside_bayes("dti_converged", part, numbers=with_further)
        log_loss = with_error(_with_further("dti_converged", part, "log_loss"))
        lines.append(row(PARTS[part], auc, paired, below, log_loss, gap, _seconds("dti_converged", part)))
    return lines


def _with_further(figure: str, part: str, column: str = "auc") -> np.ndarray:
    return with_further(figure, "clicks", column, part=part, answers=SLIDING)


def long() -> list[str]:
    """The same with three times the steps; differences from sliding windows are of their four seeds."""
    seeds = {part: len(by_seed("dti_long", "clicks", "auc", part=part, answers=SLIDING)) for part in LONG}
    return [row(PARTS[part], seeds[part], *_beside_bayes("dti_long", part)) for part in LONG]


def packing() -> list[str]:
    """By the number of targets: AUC, log loss and F1 on sliding windows and beside one target, the gap and the leak."""
    columns, lines = ("auc", "log_loss", "f1"), []
    sliding = {column: _by_targets(SLIDING, 1, SLIDING, column) for column in columns}
    trained = [(part, targets) for part in ("naive", "dti") for targets in (10, 30, 50)]
    for part, targets in ((SLIDING, 1), *trained, ("split", 50)):
        numbers = {column: _by_targets(part, targets, SLIDING, column) for column in columns}
        cells = [with_error(numbers["auc"])]
        cells += ["" if targets == 1 else with_error(numbers[each] - sliding[each], 4) for each in columns]
        best, streaming = (_by_targets(part, targets, answers, "auc") for answers in (BEST, STREAMING))
        cells += [with_error(best - numbers["auc"], 4), _gap(_by_targets(part, targets, STREAMING, "gap.auc"))]
        lines.append(row(PARTS[part], targets, *cells, with_error(streaming - best, 4)))
    return lines


def _by_targets(part: str, targets: int, answers: str, column: str) -> np.ndarray:
    return by_seed("dti", "clicks", column, part=part, targets=targets, answers=answers)


def far() -> list[str]:
    """Where a click depends on an item far back: the same columns as those of `long`, and seconds for one model."""
    return [row(PARTS[part], *_beside_bayes("dti_far", part), _seconds("dti_far", part)) for part in FAR]


def _beside_bayes(figure: str, part: str, other: str = SLIDING, numbers: Numbers = by_seed) -> tuple[str, ...]:
    """Return AUC, that minus another part's, below Bayes, the gap, and above Bayes on prompts as in training."""
    reference = numbers(figure, "clicks", "auc", part=other, answers=SLIDING)
    auc, best, streaming, gaps = (
        numbers(figure, "clicks", column, part=part, answers=answers)
        for column, answers in (("auc", SLIDING), ("auc", BEST), ("auc", STREAMING), ("gap.auc", STREAMING))
    )
    paired = "" if part == other else with_error(auc[: len(reference)] - reference, 4)  # of its seeds, the first ones
    return with_error(auc), paired, with_error(best - auc, 4), _gap(gaps), with_error(streaming - best, 4)


def _seconds(figure: str, part: str) -> str:
    """Return the seconds of one thread that the training of one model took."""
    (spent,) = (each for each in read(figure, "spent") if each["part"] == part)
    return f"{int(spent['steps']) * float(spent['milliseconds']) / 1e3:.0f}"


def far_along() -> list[str]:
    """AUC on sliding windows of the first test users, after some steps."""
    return _along("dti_far", FAR, (375, 750, 1500, 3000))


def learned_along() -> list[str]:
    """The same with learned positions."""
    return _along("dti_learned", LEARNED, (93, 187, 375, 750, 1500))


def _along(figure: str, parts: Sequence[str], steps: Sequence[int]) -> list[str]:
    return [
        row(
            PARTS[part],
            *(with_error(by_seed(figure, "curves", "auc.sliding", part=part, step=each)) for each in steps),
        )
        for part in parts
    ]


def reach_trained() -> list[str]:
    """Shares of the gradient beyond the window before and after training, and of what a window tells that is used."""
    lines = []
    for scheme in ("naive", "alibi", "dti", "own", "split"):
        before, after, learned = (
            by_seed("dti_reach_trained", "leaks", column, scheme=scheme, decoder=decoder)
            for column, decoder in (("leak", "untrained"), ("leak", "trained"), ("learned", "trained"))
        )
        shares = ("0", "0") if not after.any() else (with_error(before), with_error(after))
        lines.append(row(f"`{scheme}`", *shares, with_error(learned, 2)))
    return lines


def finetuned() -> list[str]:
    """With the number of steps that is best for each on other users by the first three seeds: numbers of the others."""
    lines, numbers = [], {}
    for part in FINETUNED:
        tried = {int(each["train.steps"]) for each in read("dti_finetuned", "clicks") if each["part"] == part}
        chosen = max(tried, key=lambda steps: np.mean(_of(part, steps, "others")[:3]))
        numbers[part] = chosen, *(
            _of(part, chosen, answers, column)[3:]
            for column, answers in (("auc", SLIDING), ("auc", BEST), ("log_loss", SLIDING), ("f1", SLIDING),
                                    ("gap.auc", STREAMING))
        )  # fmt: skip
    for part, (chosen, auc, best, log_loss, f1, gaps) in numbers.items():
        paired = "" if part == SLIDING else with_error(auc - numbers[SLIDING][1], 4)
        name = "`naive`, from an untrained decoder" if part == "untrained" else PARTS[part]
        below = with_error(best - auc, 4)
        lines.append(
            row(name, chosen, with_error(auc), paired, below, with_error(log_loss), with_error(f1), _gap(gaps))
        )
    return lines


def _of(part: str, steps: int, answers: str, column: str = "auc") -> np.ndarray:
    where = {"part": part, "train.steps": steps, "answers": answers}
    return by_seed("dti_finetuned", "clicks", column, **where)


def fair() -> list[str]:
    """The settings that are best on the users that choose, among all points of some parts or those that are named."""
    whole = {"model.ymax": "1", "model.early": "1"}
    return [
        _best("sliding window, k = 1", SLIDING),
        _best(PARTS["naive"], "naive"),
        _best(PARTS["split"], "split"),
        _best("`dti`, whole reset in every layer, slope 1", "dti", **whole | {"model.slope": "1"}),
        _best("`dti`, whole reset in every layer", "dti", **whole),
        _best("`dti`, slope up to 16", "dti"),
        _best("`dti`, steeper, whole reset in the last layer", "steep"),
    ]


def _best(name: str, part: str, **where: str) -> str:
    """Return a row: rate, slope, weight and layers of the reset of the best of a part's points, and its AUC there."""
    aucs: dict[tuple[str, ...], list[float]] = {}
    for each in read("dti_fair", "clicks"):
        if each["part"] == part and each["answers"] == "others" and all(each[k] == v for k, v in where.items()):
            aucs.setdefault(tuple(each[key] for key in SETTINGS), []).append(float(each["auc"]))
    rate, slope, weight, early = best = max(aucs, key=lambda place: np.mean(aucs[place]))
    of_steep = ("1", "last") if part == "steep" else ("", "")  # these have one weight, in one layer
    reset = (weight.replace("0.", "."), "every" if early == "1" else "last") if early else of_steep
    return row(name, rate.replace("0.", "."), slope, *reset, with_error(np.array(aucs[best])))


def tuned() -> list[str]:
    """With the settings that `dti_fair` has chosen, on other seeds and users, and with twice as many steps."""
    lines = []
    for part in ("sliding", "naive", "dti", "whole", "split"):
        auc, *others = _beside_bayes("dti_tuned", part, numbers=with_further)[:4]
        log_loss, f1 = (with_error(_with_further("dti_tuned", part, each)) for each in LOSSES)
        here, longer = (_with_further("dti_tuned", each) for each in (part, f"longer_{part}"))
        lines.append(row(PARTS[part], auc, *others, log_loss, f1, with_error(longer - here, 4)))
    return lines


def learned() -> list[str]:
    """With learned positions; differences are from DTI-."""
    return [row(PARTS[part], *_beside_bayes("dti_learned", part, "naive")) for part in LEARNED]


def early() -> list[str]:
    """With learned positions after few steps; differences are from DTI-."""
    return [row(PARTS[part], *_beside_bayes("dti_early", part, "naive")) for part in EARLY]


def recipe() -> list[str]:
    """Both optimisers after 2,250 steps, and their difference; the last column is of losses on prompts in training."""
    lines, numbers = [], []
    for part, name in (("adamw", "AdamW, .004"), ("muon", "Muon, .003")):
        auc, best, streaming = (
            by_seed("dti_recipe", "clicks", "auc", part=part, answers=answers) for answers in (SLIDING, BEST, STREAMING)
        )
        start, half, end = (
            by_seed("dti_recipe", "curves", "loss.streaming", part=part, step=step) for step in (0, 1125, 2250)
        )
        numbers.append((auc, streaming - best, 100 * (half - end) / (start - end)))
        least, below = short(float(auc.min())), with_error(best - auc, 4)
        lines.append(_optimiser(name, with_error(auc), least, below, *numbers[-1][1:]))
    auc, above, later = (muon - adamw for adamw, muon in zip(*numbers, strict=True))
    return [*lines, _optimiser("Muon - AdamW, paired", with_error(auc, 4), "", "", above, later)]


def _optimiser(name: str, auc: str, least: str, below: str, above: np.ndarray, later: np.ndarray) -> str:
    return row(name, auc, least, below, with_error(above, 4), with_error(later, 1))


def _gap(gaps: np.ndarray) -> str:
    return "0" if np.abs(gaps).max() < 1e-6 else with_error(gaps, 4)  # 0: answers that are the same, to rounding


def cost() -> list[str]:
    """Gains over sliding windows at the source's window and numbers of targets, forward and backward."""
    lines = []
    for each in read("dti_cost", "cost"):
        if each["pass"] != "both":
            continue
        by_way = [float(each[f"time.{way}"]) for way in ("full", "band_1", "band_4", "band_20")]
        counted = max(float(each[name]) for name in each if name.startswith("flops."))
        numbers = (float(each["formula"]), float(each["tokens"]), counted, *by_way)
        lines.append(row(each["k"], *(f"{number:.1f}" for number in numbers), short(float(each["share"]), 2)))
    return lines


def threads() -> list[str]:
    """On one core and on two: the time that prompts of many targets save, in percent, and how much faster two are."""
    steps = [each for each in read(".", "dti_cost_threads") if each["pass"] == "both"]
    lines = []
    for targets in ("10", "30", "50"):
        one, two = (each for each in steps if each["k"] == targets)
        assert (one["device"][-7:], two["device"][-7:]) == ("1 cores", "2 cores")
        gains = [float(each["gain"]) for each in (one, two)]
        faster = float(one["sliding_milliseconds"]) / float(two["sliding_milliseconds"])
        saved = [f"{100 * (1 - 1 / gain):.1f}" for gain in gains]
        lines.append(row(targets, *saved, short(faster, 2), short(faster * gains[1] / gains[0], 2)))
    return lines


TABLES = {
    "converged": converged,
    "long": long,
    "packing": packing,
    "far": far,
    "far_along": far_along,
    "finetuned": finetuned,
    "fair": fair,
    "tuned": tuned,
    "learned": learned,
    "learned_along": learned_along,
    "early": early,
    "recipe": recipe,
    "reach_trained": reach_trained,
    "cost": cost,
    "threads": threads,
}
