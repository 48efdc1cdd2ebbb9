"""Predictions of a log's clicks without a decoder: from their rate, or by a logistic regression."""

import warnings

import numpy as np

from experiments.clicks.click_log.batches import in_order
from experiments.clicks.click_log.prompts import NONE, Prompts
from tasks.logs.log import ABSENT, ClickLog

RATE, LOGISTIC = "rate", "logistic"
AT_A_TIME = 8192  # targets
ITERATIONS = 1000


def logits(log: ClickLog, num_context: int, most: int) -> tuple[dict[str, np.ndarray], list[str]]:
    """{baseline: (R,) the logit of a click on every test target, in the order of rows}, and notes.

    rate: the rate of clicks of the training split. logistic: scikit-learn's logistic regression (penalty 1/2 |w|^2) on
    the tokens of an interaction and on the share of clicks among the `num_context` before it, fitted to at most `most`
    training targets, which are spread over all users.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    training, test = (Prompts(log, split, num_context, 1) for split in ("train", "test"))
    rate = _rate(training)
    logits_of = {RATE: np.full(len(test), np.log(rate / (1 - rate)))}
    chosen = np.unique(np.linspace(0, len(training) - 1, min(most, len(training))).astype(np.int64))
    x, label = zip(*(_table(training, chosen[places], rate) for places in _blocks(len(chosen))), strict=True)
    label = np.concatenate(label)
    if label.min() == label.max():
        return logits_of, ["no logistic regression: its training targets are of one class"]
    from scipy.sparse import vstack

    model = LogisticRegression(max_iter=ITERATIONS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(vstack(x, format="csr"), label)
    blocks = [model.decision_function(_table(test, places, rate)[0]) for places in _blocks(len(test))]
    notes = [f"logistic: fitted to {len(chosen):,} of {len(training):,} training targets"]
    if np.max(model.n_iter_) >= ITERATIONS:
        notes.append(f"logistic: not converged after {ITERATIONS} iterations")
    return logits_of | {LOGISTIC: np.concatenate(blocks)}, notes


def _rate(training: Prompts) -> float:
    """Return the rate of clicks; both classes occur."""
    places = _blocks(len(training))
    return float(sum(training.log.label[training.rows(each)].sum() for each in places) / len(training))


def _blocks(count: int) -> list[np.ndarray]:
    return [places[places != NONE] for places in in_order(count, AT_A_TIME)]


def _table(prompts: Prompts, indices: np.ndarray, rate: float):
    """A sparse matrix of what the regression sees of some targets, (R, V + 1), and their labels (R,). Without a context
    the share of clicks is the rate of all."""
    from scipy.sparse import csr_array

    batch = prompts.batch(indices)
    tokens_RxF, context_Rxn = batch["features"][:, -1], batch["label"][:, :-1]
    there_RxF, count_R = tokens_RxF != ABSENT, np.sum(context_Rxn != ABSENT, axis=1)
    share = np.where(count_R, np.sum(context_Rxn == 1, axis=1) / np.maximum(count_R, 1), rate)
    size = prompts.log.vocabulary_size
    columns = np.concatenate([np.where(there_RxF, tokens_RxF, size), np.full((len(share), 1), size)], axis=1)
    values = np.concatenate([there_RxF.astype(float), share[:, None]], axis=1)
    starts = np.arange(len(share) + 1) * columns.shape[1]
    return csr_array((values.ravel(), columns.ravel(), starts), shape=(len(share), size + 1)), batch["label"][:, -1]
