"""Predictions of a log's clicks without a decoder: rates, a logistic regression, boosted trees."""

import warnings
from collections.abc import Iterable

import numpy as np

from experiments.clicks.click_log.prompts import NONE, Prompts, in_order
from tasks.logs.log import ABSENT, ClickLog

RATE, ITEM, LOGISTIC, BOOSTED = "rate", "item", "logistic", "boosted"
AT_A_TIME = 8192  # targets
ITERATIONS = 1000
SMOOTHING, FOLDS = 5, 5


def logits(log: ClickLog, num_context: int, most: int) -> tuple[dict[str, np.ndarray], list[str]]:
    """{baseline: (R,) the logit of a click on every test target, in the order of rows}, and notes.

    rate: the rate of clicks of the training split. item: the rate of the item's, where the log names one, with
    `SMOOTHING` interactions of the rate of all. The others see the tokens of an interaction and the share of clicks
    among the `num_context` before it, and are fitted to at most `most` training targets, which are spread over all
    users: logistic, scikit-learn's logistic regression (penalty 1/2 |w|^2), and boosted, its gradient-boosted trees on
    the rates of clicks of the tokens.
    """
    from scipy.sparse import vstack
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    training, test = (Prompts(log, split, num_context, 1) for split in ("train", "test"))
    rate = _rate(training)
    logits_of = {RATE: np.full(len(test), _logit(rate))}
    if log.item is not None:
        parts = (training.rows(places) for places in _blocks(len(training)))
        rates = _rates(((log.features[rows, log.item], log.label[rows]) for rows in parts), log.vocabulary_size, rate)
        logits_of[ITEM] = _logit(rates[log.features[test.rows(np.arange(len(test))), log.item]])
    chosen = np.unique(np.linspace(0, len(training) - 1, min(most, len(training))).astype(np.int64))
    inputs, labels = zip(*(_inputs(training, chosen[places], rate) for places in _blocks(len(chosen))), strict=True)
    label = np.concatenate(labels)
    if label.min() == label.max():
        return logits_of, ["no regression and no trees: their training targets are of one class"]
    tests = [_inputs(test, places, rate)[0] for places in _blocks(len(test))]
    model, size = LogisticRegression(max_iter=ITERATIONS), log.vocabulary_size
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(vstack([_sparse(each, size) for each in inputs], format="csr"), label)
    notes = [f"logistic, boosted: fitted to {len(chosen):,} of {len(training):,} training targets"]
    if np.max(model.n_iter_) >= ITERATIONS:
        notes.append(f"logistic: not converged after {ITERATIONS} iterations")
    logits_of[LOGISTIC] = np.concatenate([model.decision_function(_sparse(each, size)) for each in tests])
    logits_of[BOOSTED] = _boosted(np.concatenate(inputs), label, tests, size, rate)
    return logits_of, notes


def _rates(blocks: Iterable[tuple[np.ndarray, np.ndarray]], size: int, rate: float) -> np.ndarray:
    """Return the smoothed rate of clicks of every token (size + 1,), the last one of features that are absent.

    Args:
        blocks: tokens (r, ...) and labels (r,).
    """
    counts = np.zeros((2, size + 1))
    for tokens, label_R in blocks:
        np.add.at(counts, (label_R.reshape(-1, *[1] * (tokens.ndim - 1)), tokens), 1)
    return (counts[1] + SMOOTHING * rate) / (counts.sum(axis=0) + SMOOTHING)


def _in_rates(inputs: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """Return the inputs with each token's rate in its place."""
    return np.concatenate([rates[inputs[:, :-1].astype(int)], inputs[:, -1:]], axis=1)


def _boosted(inputs: np.ndarray, label: np.ndarray, tests: list[np.ndarray], size: int, rate: float) -> np.ndarray:
    """Return the logits of trees; a training target's rates are computed on the other folds."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    tokens, fold, x = inputs[:, :-1].astype(int), np.arange(len(label)) % FOLDS, np.empty_like(inputs)
    for number in range(FOLDS):
        others = fold != number
        x[~others] = _in_rates(inputs[~others], _rates([(tokens[others], label[others])], size, rate))
    trees, rates = HistGradientBoostingClassifier(random_state=0).fit(x, label), _rates([(tokens, label)], size, rate)
    return np.concatenate([trees.decision_function(_in_rates(each, rates)) for each in tests])


def _logit(rate):
    return np.log(rate / (1 - rate))


def _rate(training: Prompts) -> float:
    """Return the rate of clicks; both classes occur."""
    places = _blocks(len(training))
    return float(sum(training.log.label[training.rows(each)].sum() for each in places) / len(training))


def _blocks(count: int) -> list[np.ndarray]:
    return [places[places != NONE] for places in in_order(count, AT_A_TIME)]


def _inputs(prompts: Prompts, indices: np.ndarray, rate: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the tokens of some targets and the share of clicks in their contexts, (R, F + 1), and their labels (R,).
    Without a context the share is the rate of all."""
    batch = prompts.batch(indices)
    tokens_RxF, context_Rxn = batch["features"][:, -1], batch["label"][:, :-1]
    count_R = np.sum(context_Rxn != ABSENT, axis=1)
    share = np.where(count_R, np.sum(context_Rxn == 1, axis=1) / np.maximum(count_R, 1), rate)
    return np.concatenate([tokens_RxF, share[:, None]], axis=1), batch["label"][:, -1]


def _sparse(inputs: np.ndarray, size: int):
    """The same as a sparse matrix, (R, V + 1), with a column for each token."""
    from scipy.sparse import csr_array

    tokens_RxF, share_R = inputs[:, :-1].astype(int), inputs[:, -1:]
    there_RxF = tokens_RxF != ABSENT
    columns = np.concatenate([np.where(there_RxF, tokens_RxF, size), np.full((len(share_R), 1), size)], axis=1)
    values = np.concatenate([there_RxF.astype(float), share_R], axis=1)
    starts = np.arange(len(share_R) + 1) * columns.shape[1]
    return csr_array((values.ravel(), columns.ravel(), starts), shape=(len(share_R), size + 1))
