"""Rows of docs/recommendation.md."""

import numpy as np

from tests.page_rows.cells import by_seed, mean, read, row, short, with_error

PAGE = "recommendation.md"
QUERIES = (1, 5, 20)
SEARCHED = {
    "popularity": "popularity",
    "low_rank": "Markov chain of trained vectors",
    "zero_shot": "the step, no demonstrations",
    "random": "random ones",
    "random_twice": "twice as many random ones",
    "one_path": "found by one path",
    "three_paths": "found by three perturbed paths",
    "pool": "all of the pool",
    "descent": "the user's whole past",
    "gru": "GRU",
    "sasrec": "decoder, as SASRec",
    "truth": "true utilities",
}


def search() -> list[str]:
    """Similarity, Effect_D and nDCG@10 of searches and of what needs none, by number of validation queries."""
    return [
        row(
            "similarity in one path, second and last round", *_means(2, ("one", "similarity_first", "similarity_last"))
        ),
        row("similarity in three perturbed paths, last round", *_means(2, ("three_path", "similarity_last"))),
        row("Effect_D of one path's prompt, on validation and on test", *_means(2, ("one", "validation", "effect"))),
        row("1 path, 3 paths, 2 +, 3 +", *_ndcg("one", "three", "two_path", "three_path")),
        row("3 paths, perturbed by a random other path", *_ndcg("three_other")),
        row("3 paths, random demonstrations appended", *_ndcg("three_random")),
        row("1 path with three times the proposals", *_ndcg("one_more")),
        row("1 path with sets of 16, and with three times the proposals", *_ndcg("long", "long_more")),
        row("union of three unperturbed paths (24)", *_ndcg("union")),
        row("the best 16 singles, no search", *_ndcg("singles_16")),
        row("16 random demonstrations, the whole pool, none", *_ndcg("random_16", "whole_pool", "zero_shot")),
        row("perturbed minus unperturbed, 3 paths", *[_paired("three_path", "three", queries) for queries in QUERIES]),
        row(
            "3 + minus one long path, equal evaluations",
            *[_paired("three_path", "long_more", each) for each in QUERIES],
        ),
        row(
            "correlation within users of Effect_D on validation and on test",
            *[mean(by_seed("demonstrations", "agreement", "correlation", queries=each), 2) for each in QUERIES],
        ),
    ]


def searched() -> list[str]:
    """Recommenders beside searched demonstrations, and what three perturbed paths are above each."""
    columns = (*(("sampled", name) for name in ("ndcg_1", "ndcg_10", "recall_10")), ("all", "ndcg_10"))
    lines = []
    for name, label in SEARCHED.items():
        place = {"learner": name, "candidates": "sampled"}
        has_examples = next(each for each in read("recommend_searched", "learners") if each["learner"] == name)[
            "examples"
        ]
        examples = (
            f"{np.mean(by_seed('recommend_searched', 'learners', 'examples', **place)):.3g}" if has_examples else ""
        )
        means = [
            mean(by_seed("recommend_searched", "learners", measure, learner=name, candidates=kind))
            for kind, measure in columns
        ]
        lines.append(row(label, examples, *means, *(_three_paths_above(name, kind) for kind in ("sampled", "all"))))
    return lines


def _above(figure: str, kind: str, first: str, second: str, **where: object) -> dict[str, np.ndarray]:
    """Return how far the first is above the second in nDCG@10, paired, by seed, and the error over each seed's users.

    kind: the column of what is compared, which has either pair.
    """
    pairs = {(each[kind], each["other"]) for each in read(figure, "differences")}
    sign = 1 if (first, second) in pairs else -1
    place = {kind: first, "other": second} if sign == 1 else {kind: second, "other": first}
    columns = [name for name in ("difference", "difference.stderr") if name in read(figure, "differences")[0]]
    numbers = {column: by_seed(figure, "differences", column, **place, **where) for column in columns}
    return numbers | {"difference": sign * numbers["difference"]}


def _three_paths_above(other: str, candidates: str) -> str:
    """Return how far nDCG@10 of three perturbed paths is above another's, paired.

    The error is that of verdicts: over seeds, and not below that over all users.
    """
    if other == "three_paths":
        return ""
    values, of_users = _above("recommend_searched", "learner", "three_paths", other, candidates=candidates).values()
    error = max(float(np.std(values, ddof=1)) / len(values) ** 0.5, float(np.hypot.reduce(of_users)) / len(values))
    return f"{mean(values, 4)} ± {short(error, 4)}"


def _means(digits: int, *columns: tuple[str, ...]) -> list[str]:
    """Return a cell per number of validation queries: the means over seeds of a method's columns."""
    return [
        ", ".join(
            mean(by_seed("demonstrations", "methods", column, queries=queries, method=method), digits)
            for method, *names in columns
            for column in names
        )
        for queries in QUERIES
    ]


def _ndcg(*methods: str) -> list[str]:
    return _means(3, *((method, "ndcg_10") for method in methods))


def _paired(method: str, other: str, queries: int) -> str:
    """Return how far a method's nDCG@10 is above another's, with its error over seeds."""
    values = _above("demonstrations", "method", method, other, queries=queries)["difference"]
    return f"{'+' if np.mean(values) > 0 else ''}{with_error(values, 3)}"


LOGGED = {
    "popularity": "popularity",
    "markov": "Markov chain, counted",
    "low_rank": "Markov chain of trained vectors",
    "descent": "the same with a step of descent in context",
    "gru": "GRU",
    "sasrec": "decoder, as SASRec",
}


def logged_last() -> list[str]:
    """Recommenders on MovieLens, of the last item of every user."""
    return _logged("leave_one_out")


def logged_after() -> list[str]:
    """Recommenders on MovieLens, of the first item after a moment."""
    return _logged("global_time")


def _logged(split: str) -> list[str]:
    """Return measures with errors over users, and what nDCG@10 is above popularity, paired, for both candidates."""
    sampled, lines = ("ndcg_5", "ndcg_10", "recall_5", "recall_10"), []
    for name, label in LOGGED.items():
        place = {"split": split, "learner": name}
        cells = [
            mean(by_seed("recommend_log", "learners", column, candidates="sampled", **place)) for column in sampled
        ]
        cells.append(_above_popularity(name, split, "sampled"))
        cells += [
            mean(by_seed("recommend_log", "learners", column, candidates="all", **place))
            for column in ("ndcg_10", "recall_10")
        ]
        lines.append(row(label, *cells, _above_popularity(name, split, "all")))
    return lines


def _above_popularity(name: str, split: str, candidates: str) -> str:
    """Return nDCG@10 above popularity's, with the error over seeds and over users, whom all seeds share."""
    if name == "popularity":
        return ""
    place = {"split": split, "candidates": candidates}
    values, of_users = _above("recommend_log", "learner", name, "popularity", **place).values()
    error = float(np.hypot(np.std(values, ddof=1) / len(values) ** 0.5, np.mean(of_users)))
    return f"{mean(values, 3)} ± {short(error, 3)}"


WRITTEN = {
    "validation": "Effect_D on validation",
    "ndcg_10": "nDCG@10 on test",
    "effect": "Effect_D on test",
    "similarity": "similarity with the round before",
    "collapsed": "share of paths that have collapsed",
    "examples": "demonstrations",
}


def written() -> list[str]:
    """The rounds of the search for demonstrations that a language model writes, without and with perturbation."""
    rounds, lines = sorted({int(each["round"]) for each in read("language_recommend_searched", "rounds")}), []
    for column, label in WRITTEN.items():
        for method, words in (("kept", "without"), ("perturbed", "with")):
            cells = [_written(column, method, each) if column != "similarity" or each > 1 else "" for each in rounds]
            lines.append(row(f"{label}, {words}", *cells))
    for column in ("validation_gain", "ndcg_10_gain", "effect_gain"):
        for method, words in (("kept", "without"), ("perturbed", "with")):
            cells = [_written(column, method, each) if each else "" for each in rounds]
            lines.append(row(f"{WRITTEN[column.removesuffix('_gain')]} minus the start, {words}", *cells))
    return lines


def _written(column: str, method: str, number: int) -> str:
    """Return a mean over seeds, with the error over their users; both seeds draw from the users of one log."""
    place = {"method": method, "round": number}
    values = by_seed("language_recommend_searched", "rounds", column, **place)
    if column in ("collapsed", "examples"):
        return mean(values, 2)
    errors = by_seed("language_recommend_searched", "rounds", f"{column}.stderr", **place)
    return f"{mean(values)} ± {short(float(np.hypot.reduce(errors)) / len(errors))}"


TABLES = {
    "written": written,
    "logged_last": logged_last,
    "logged_after": logged_after,
    "search": search,
    "searched": searched,
}
