"""`dti_reach`: theorems about decoders of click streams in float64."""

from collections.abc import Sequence
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from experiments.clicks.dti_reach import measure, results, theorems
from experiments.clicks.dti_reach.results import (
    ALL,
    BANDED,
    DECODER,
    FARTHEST,
    FIRST,
    LEAKS,
    RANDOM,
    REACH,
    SEED,
    THEOREMS,
    WINDOW,
    leak,
)
from experiments.clicks.dti_reach.settings import DtiReach
from experiments.clicks.dti_reach.theorems import Case
from lab.layouts import stream as streams
from lab.learners.stream_decoder import StreamDecoder
from lab.learners.stream_schemes import SCHEMES
from lab.learners.stream_shape import StreamShape
from trainers.record import Record
from trainers.streams import Stream, key_of
from trainers.study import Part, Study, Tables

NUM_FEATURES, VOCABULARY = 2, 8
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
        place, window = {DECODER: RANDOM, SEED: settings.seed} | case.row, settings.num_context
        shares = {FARTHEST: measure.farthest(norm_M), leak.name: measure.leak(norm_M, window)}
        by_distance = measure.norm_rows(place | {WINDOW: window}, norm_M)
        return {THEOREMS: statements, REACH: by_distance, LEAKS: [place | shares]}


def of_case(settings: DtiReach, case: Case) -> tuple[list[dict], np.ndarray]:
    """The statements about decoders of one kind, and norms of gradients by distance (n + k,)."""
    n, k = settings.num_context, settings.num_targets
    decoder, prompts = decoder_and_prompts(settings, case)
    streaming, norm_M = measure.answers_and_norms(decoder, prompts)
    apart_UxK = jnp.max(jnp.abs(streaming - measure.sliding(decoder, prompts)), axis=-1)
    in_bands = measure.answers(decoder.in_blocks(-(-2 * n // 3)), prompts)  # which do not divide the window
    errors = {
        FIRST: float(jnp.max(apart_UxK[:, 0])),
        ALL: float(jnp.max(apart_UxK)),
        BANDED: float(jnp.max(jnp.abs(in_bands - streaming))),
    }
    return theorems.rows(case, n, errors, measure.farthest(norm_M), n + k - 1), norm_M


def decoder_and_prompts(settings: DtiReach, case: Case) -> tuple[StreamDecoder, streams.Stream]:
    """Both random; the prompts, and weights of one shape, are the same for every case."""
    n, k = settings.num_context, settings.num_targets
    shape = StreamShape(
        scheme=SCHEMES[case.scheme],
        num_context=n,
        num_targets=k,
        longest=k,
        num_features=NUM_FEATURES,
        vocabulary=VOCABULARY,
        width=settings.model.width,
        num_layers=case.layers,
        num_heads=settings.model.num_heads,
        mlp_width=settings.model.mlp_width,
        positions=case.positions,
    )
    key_weights, key_streams = (key_of(settings.seed, stream) for stream in (Stream.parameters, Stream.problems))
    decoder = StreamDecoder(shape, key_weights, settings.init_scale, BOUNDS[case.isolates])
    return decoder, measure.random_streams(key_streams, settings.eval.users, n + k, shape)
