"""`dti_reach`: theorems about decoders of click streams in float64, and how far answers of trained ones reach."""

from collections.abc import Iterator, Sequence
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
    TRAINED,
    UNTRAINED,
    WINDOW,
    leak,
)
from experiments.clicks.dti_reach.results import learned as learned_share
from experiments.clicks.dti_reach.settings import DtiReach
from experiments.clicks.dti_reach.theorems import Case
from experiments.clicks.settings import TrainsStreams
from lab.config.choices import StreamScheme
from lab.config.compose import compose_run
from lab.errors import ConfigError
from lab.layouts import stream as streams
from lab.learners.stream_decoder import StreamDecoder
from lab.learners.stream_schemes import SCHEMES
from lab.learners.stream_shape import StreamShape
from tasks.catalogue import task_of
from tasks.click_streams import Tastes
from tasks.episode import Episode
from trainers import load_pretrained
from trainers.record import Record
from trainers.streams import Stream, key_of
from trainers.study import Part, Study, Tables

NUM_FEATURES, VOCABULARY = 2, 8
BOUNDS = {False: (0.0, 1.0), True: (1.0, 1.0)}  # ymin and ymax, by whether the reset isolates


def check(settings: DtiReach) -> None:
    """
    Raises:
        ConfigError: the words name no run that keeps a decoder of click streams.
        ConfigError: a word names no key.
    """
    for command in settings.inputs():
        maker = compose_run(command)
        if not (load_pretrained.keeps(maker, "dti") and isinstance(maker, TrainsStreams)):
            raise ConfigError(f"trained.words={settings.trained.words}: must be one run of the kind dti")
        if maker.model.targets == 1:
            raise ConfigError(f"trained.words={settings.trained.words}: prompts of model.targets=1 are sliding windows")


def run(records: Sequence[Record[DtiReach]]) -> None:
    """Write the tables `theorems`, `reach` and `leaks`, and headline numbers.

    Raises:
        UserError: there is no trained decoder, or a directory cannot be written.
    """
    for record in records:
        with jax.enable_x64(True):
            ReachStudy(record).run()


class ReachStudy(Study[DtiReach]):
    """One part per kind of decoder of the theorems, and one per scheme of the trained decoders."""

    TABLES: ClassVar = results.TABLES
    DOING: ClassVar = "theorems"

    def parts(self) -> Sequence[Part]:
        settings = self.settings
        self.cases = {case.name: case for case in theorems.cases(settings.schemes, settings.positions, settings.layers)}
        schemes = settings.trained.schemes if settings.trained.words else []
        return [Part({}, name=name) for name in (*self.cases, *(scheme.value for scheme in schemes))]

    def measure(self, part: Part) -> Tables:
        settings, tables = self.settings, {name: [] for name in self.TABLES}
        if part.name in self.cases:
            case = self.cases[part.name]
            tables[THEOREMS], norm_M = of_case(settings, case)
            place = {DECODER: RANDOM, SEED: settings.seed} | case.row
            _add(tables, place, norm_M, settings.num_context, learned=None)
            return tables
        for place, norm_M, window, learned in of_runs(self.record, StreamScheme(part.name)):
            _add(tables, place, norm_M, window, learned)
        return tables


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


def of_runs(record: Record[DtiReach], scheme: StreamScheme) -> Iterator[tuple[dict, np.ndarray, int, float]]:
    """Yield (columns, norms of gradients by distance, window, share of the loss that a window saves) of the
    decoders of a run, before and after its training, each on prompts of test users as they were in training."""
    settings = record.settings
    command = settings.command(scheme)
    maker = load_pretrained.settings_of(command, TrainsStreams)
    model = maker.model
    task, episodes = users_of(maker, settings.seed, settings.eval.users)
    shape = StreamShape.of_task(model, task)
    with jax.enable_x64(False):
        first = jax.vmap(lambda prompt: streams.cut(prompt, shape.num_context, shape.num_targets))(episodes.prompt)
        first = jax.tree.map(lambda each: each[:, 0], first)
        optimal = measure.optimal_losses(task, episodes, shape.num_targets)
    place = Case(scheme, model.positions, model.num_layers).row
    for member in range(settings.seeds):
        seed = maker.seed + member
        with jax.enable_x64(False):  # as they were in training
            untrained = StreamDecoder(
                shape, key_of(seed, Stream.parameters), maker.train.init_scale, (model.ymin, model.ymax)
            )
            trained = load_pretrained.learner(record, command, DECODER, StreamDecoder, member)
        for name, decoder in ((UNTRAINED, untrained), (TRAINED, trained)):
            in_float64 = jax.tree.map(lambda each: jnp.asarray(each, float), decoder)
            logits, norm_M = measure.answers_and_norms(in_float64, first)
            learned = measure.share_of_loss(logits, episodes.target[:, : shape.num_targets], optimal)
            yield {DECODER: name, SEED: seed} | place, norm_M, shape.num_context, learned


def users_of(maker: TrainsStreams, seed: int, users: int) -> tuple[Tastes, Episode]:
    """Return the task of a run and the streams of test users, drawn in the precision of the training.

    In float64 random numbers are others, and so are the tastes: users would be those of another world.
    """
    with jax.enable_x64(False):
        task = task_of(maker.task, Tastes)
        return task, task.sample(key_of(seed, Stream.test), users)


def _add(tables: dict[str, list[dict]], place: dict, norm_M, window: int, learned: float | None) -> None:
    tables[REACH] += measure.norm_rows(place | {WINDOW: window}, norm_M)
    shares = {leak.name: measure.leak(norm_M, window), learned_share.name: learned}
    tables[LEAKS].append(place | {FARTHEST: measure.farthest(norm_M)} | shares)
