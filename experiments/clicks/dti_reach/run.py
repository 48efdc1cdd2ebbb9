"""`dti_reach`: theorems about decoders of click streams in float64.

Answers of decoders to prompts of many targets and to sliding windows, and their dependence on past interactions.
Nothing here is compiled as a whole: hundreds of different decoders run once each, and share compiled operations.

Shapes: U users, M interactions, k targets, D token width, c tokens of an interaction.
"""

from collections.abc import Sequence
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from experiments.clicks.dti_reach import results, theorems
from experiments.clicks.dti_reach.settings import DtiReach
from experiments.clicks.dti_reach.theorems import Case
from lab.layouts.stream import Stream
from lab.learners.stream_decoder import StreamDecoder
from lab.learners.stream_schemes import SCHEMES
from lab.learners.stream_shape import StreamShape
from trainers import streams
from trainers.record import Record
from trainers.streams import key_of
from trainers.study import Part, Study, Tables
from trainers.timing.streams import VOCABULARY, streams_of

NUM_FEATURES = 2
BOUNDS = {False: (0.0, 1.0), True: (1.0, 1.0)}  # ymin and ymax, by whether the reset isolates


def run(records: Sequence[Record[DtiReach]]) -> None:
    """Write the tables `theorems`, `reach` and `leaks`, and headline numbers.

    Raises:
        UserError: a directory cannot be written.
    """
    for record in records:
        with jax.enable_x64(True):
            ReachStudy(record).run()


class ReachStudy(Study[DtiReach]):
    """One part per kind of decoder."""

    TABLES: ClassVar = results.TABLES
    DOING: ClassVar = "theorems"

    def parts(self) -> Sequence[Part]:
        settings = self.settings
        self.cases = {case.name: case for case in theorems.cases(settings.schemes, settings.positions, settings.layers)}
        return [Part({}, name=name) for name in self.cases]

    def measure(self, part: Part) -> Tables:
        settings, case = self.settings, self.cases[part.name]
        statements, norm_M = of_case(settings, case)
        place = {results.DECODER: results.RANDOM, results.SEED: settings.seed} | case.row
        shares = {results.FARTHEST: farthest(norm_M), results.leak.name: leak(norm_M, settings.num_context)}
        by_distance = norm_rows(place | {results.WINDOW: settings.num_context}, norm_M)
        return {results.THEOREMS: statements, results.REACH: by_distance, results.LEAKS: [place | shares]}


def of_case(settings: DtiReach, case: Case) -> tuple[list[dict], np.ndarray]:
    """The statements about decoders of one kind, and norms of gradients by distance (n + k,)."""
    n, k = settings.num_context, settings.num_targets
    decoder, prompts, windows = decoder_and_prompts(settings, case)
    streaming, norm_M = answers_and_norms(decoder, prompts)
    sliding = answers(decoder.packed(1), windows).reshape(streaming.shape)
    apart_UxK = jnp.max(jnp.abs(streaming - sliding), axis=-1)
    in_bands = answers(decoder.in_blocks(-(-2 * n // 3)), prompts)  # which do not divide the window
    errors = {
        results.FIRST: float(jnp.max(apart_UxK[:, 0])),
        results.ALL: float(jnp.max(apart_UxK)),
        results.BANDED: float(jnp.max(jnp.abs(in_bands - streaming))),
    }
    return theorems.rows(case, n, errors, farthest(norm_M), n + k - 1), norm_M


def decoder_and_prompts(settings: DtiReach, case: Case) -> tuple[StreamDecoder, Stream, Stream]:
    """All random; the prompts, their sliding windows, and weights of one shape, are the same for every case."""
    n, k, model = settings.num_context, settings.num_targets, settings.model
    shape = StreamShape(
        scheme=SCHEMES[case.scheme],
        num_context=n,
        num_targets=k,
        longest=k,
        num_features=NUM_FEATURES,
        vocabulary=VOCABULARY,
        width=model.width,
        num_layers=case.layers,
        num_heads=model.num_heads,
        mlp_width=model.mlp_width,
        positions=case.positions,
    )
    uses = streams.Stream.parameters, streams.Stream.problems
    key_weights, key_streams = (key_of(settings.seed, use) for use in uses)
    decoder = StreamDecoder(shape, key_weights, settings.init_scale, BOUNDS[case.isolates])
    prompts, windows = (streams_of(key_streams, settings.eval.users, n, k, NUM_FEATURES, count) for count in (k, 1))
    return decoder, prompts, windows


def answers(decoder: StreamDecoder, prompts: Stream) -> jax.Array:
    """Return the logits (U, k, 2) of the targets of each prompt."""
    return jax.vmap(decoder.logits)(prompts)


def answers_and_norms(decoder: StreamDecoder, prompts: Stream) -> tuple[jax.Array, np.ndarray]:
    """Return answers (U, k, 2), and the norms of gradients by distance (M,).

    Entry d of the norms is for the gradient of the last target's logit difference (click minus no click) with respect
    to the embeddings of the tokens of the interaction d places before it; it is the root mean square over users.
    """
    shape = (prompts.labels.shape[1], decoder.shape.num_features + 1, decoder.shape.width)

    def logit(shift_McD: jax.Array, prompt: Stream) -> tuple[jax.Array, jax.Array]:
        logits_Kx2 = decoder.logits(prompt, shift_McD)
        return logits_Kx2[-1, 1] - logits_Kx2[-1, 0], logits_Kx2

    by_user = jax.vmap(jax.grad(logit, has_aux=True), in_axes=(None, 0))
    gradient_UxMcD, logits_UxKx2 = by_user(jnp.zeros(shape), prompts)
    norm_M = jnp.sqrt(jnp.mean(jnp.sum(gradient_UxMcD**2, axis=(2, 3)), axis=0))
    return logits_UxKx2, np.asarray(norm_M)[::-1]


def farthest(norm_M: np.ndarray) -> int:
    """Return the largest distance with a norm that is not exactly zero."""
    return int(np.flatnonzero(norm_M)[-1])


def leak(norm_M: np.ndarray, window: int) -> float:
    """Return the share of the sum of norms that is at distances beyond the window."""
    return float(norm_M[window + 1 :].sum() / norm_M.sum())


def norm_rows(place: dict, norm_M: np.ndarray) -> list[dict]:
    """Return one row of reach.csv per distance; `place` has further columns."""
    columns = results.DISTANCE, results.NORM, results.SHARE
    shares = zip(norm_M.tolist(), (norm_M / norm_M.sum()).tolist(), strict=True)
    return [place | dict(zip(columns, (distance, *each), strict=True)) for distance, each in enumerate(shares)]
