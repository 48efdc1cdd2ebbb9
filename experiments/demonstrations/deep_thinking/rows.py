"""Makes rows of tables of what was measured in episodes. Every error is over episodes, and every gain is paired."""

import numpy as np

from analysis.metrics.alignment import mean_over_episodes
from analysis.tables import thinking_rows
from experiments.demonstrations.deep_thinking.columns import Common, Iterations, Protocols, Tasks
from lab.learners.decoder import Decoder

Pair = tuple[float, float]
FLOAT = 4  # bytes


def iteration_rows(measured: dict[str, np.ndarray], pairs: list[Pair]) -> list[dict]:
    """Return one row per rate, momentum and number of iterations: the columns `Iterations`."""
    rows = []
    for r, (eta, beta) in enumerate(pairs):
        right, losses = (measured[name][:, r].astype(np.float64) for name in ("right", "losses"))
        for t in range(right.shape[1]):
            rows.append(
                {Common.ETA: eta, Common.BETA: beta, Common.ITERATIONS: t + 1}
                | mean_over_episodes(Iterations.ACCURACY, right[:, t])
                | mean_over_episodes(Iterations.GAIN, right[:, t] - right[:, 0])
                | mean_over_episodes(Iterations.LOSS_DIFFERENCE, losses[:, t] - losses[:, 0])
            )
    return rows


def protocol_rows(
    test: dict[str, np.ndarray], validation: dict[str, np.ndarray], pairs: list[Pair], scored: list[int]
) -> list[dict]:
    """Return one row per protocol, and rate, momentum and queries where it has some: the columns `Protocols`.

    `validated`: one number of iterations for all tasks, the best on other tasks. `best_common`: the best on these.
    `best_per_task`: the source's, the best for each task on the queries that are scored; and `fresh`, on that task's
    other queries. `again`, `twice`, `zero_shot`: the controls of `measure`.
    """
    rows = []
    for r, (eta, beta) in enumerate(pairs):
        right_BxT, fresh_BxT = (test[name][:, r].astype(np.float64) for name in ("right", "fresh"))
        chosen = int(np.argmax(validation["right"][:, r].mean(axis=0, dtype=np.float64)))
        common = int(np.argmax(right_BxT.mean(axis=0)))
        for name, best in (("validated", chosen), ("best_common", common)):
            gain_B = right_BxT[:, best] - right_BxT[:, 0]
            rows.append(_protocol_row(name, gain_B, eta, beta, best + 1))
        for number, count in enumerate(scored):
            scored_BxT = test["scored"][:, r, :, number].astype(np.float64)
            best_B = np.argmax(scored_BxT, axis=1)[:, None]
            for name, part in (("best_per_task", scored_BxT), ("fresh", fresh_BxT)):
                gain_B = np.take_along_axis(part, best_B, axis=1)[:, 0] - part[:, 0]
                rows.append(_protocol_row(name, gain_B, eta, beta, scored=count))
    plain_B = test["right"][:, 0, 0].astype(np.float64)
    for name in ("again", "twice", "zero_shot"):
        rows.append(_protocol_row(name, test[name].astype(np.float64) - plain_B))
    return rows


def _protocol_row(
    name: str,
    gain_B: np.ndarray,
    eta: float | None = None,
    beta: float | None = None,
    iterations: int | None = None,
    scored: int | None = None,
) -> dict:
    place = {Protocols.PROTOCOL: name, Common.ETA: eta, Common.BETA: beta, Common.ITERATIONS: iterations}
    return place | {Protocols.SCORED: scored} | mean_over_episodes(Protocols.GAIN, gain_B)


def task_rows(test: dict[str, np.ndarray], scored: list[int]) -> list[dict]:
    """Return one row per test episode: the columns `Tasks`."""
    most = int(np.argmax(scored))
    right = (test["scored"][:, 0, :, most], test["fresh"][:, 0])
    losses = (test["losses_scored"][:, 0], test["losses_fresh"][:, 0])
    gains = [part[:, -1] - part[:, 0] for part in right] + [part[:, 0] - part[:, -1] for part in losses]
    norm_B = np.sqrt(np.sum(test["norms"][:, 0, 1] ** 2, axis=1, dtype=np.float64))
    columns = dict(zip(Tasks, (range(len(norm_B)), *gains, norm_B, test["entropy"]), strict=True))
    return [{name: float(values[b]) for name, values in columns.items()} for b in range(len(norm_B))]


def norm_rows(measured: dict[str, np.ndarray], pairs: list[Pair]) -> list[dict]:
    """Return one row per rate, momentum, layer and iteration: the columns `Norms`."""
    return [
        row
        for r, (eta, beta) in enumerate(pairs)
        for row in thinking_rows.norm_rows(measured["norms"][:, r].mean(axis=0, dtype=np.float64), eta, beta)
    ]


def cost_rows(model: Decoder, examples: int, iterations: int, memory: float) -> list[dict]:
    """Return one row per way to answer: the columns `Cost`.

    Args:
        memory: GiB for keys and values.
    """
    shape = model.shape
    context = shape.instructions + shape.layout.PER_EXAMPLE * examples
    token_bytes = 2 * shape.num_layers * shape.num_groups * shape.head_width * FLOAT
    return thinking_rows.cost_rows(context, 1, token_bytes, iterations, memory)
