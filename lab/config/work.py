"""Multiply-adds and bytes of what kinds share: drawing episodes, decoders, training. Rough counts, without JAX.

Letters: T tokens of a prompt, D width, M width of the MLP, H heads, L layers, N examples, Q queries.
"""

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from lab.config.blocks import block_of
from lab.config.choices import Injection, LayerKind, SequenceKind
from lab.config.compose import compose
from lab.config.decoder import Model, TrainsDecoder
from lab.config.recommender import RecommenderModel
from lab.config.sizes import Sizes, Unknown
from lab.config.stack import Model as Stack
from lab.config.training import Train, Training
from tasks.settings import Functions, HmmMixture, Items, Markov, Parameters

FLOAT = 4  # bytes
COPIES = 6  # copies of weights in training: gradient, moments, update, and those that are evaluated
BACKWARD = 3  # a gradient takes the forward pass and twice as much
DRAW = 12  # multiply-adds that drawing one random number is worth
EXPONENTIAL = 10  # the same of one exponential
PART = 3 * 2**20  # bytes of episodes that a processor takes at a time (`trainers.batches`)
ANSWERED = 250  # episodes that are answered at a time (`trainers.decoders.prefixes`)
COLUMNS = 12  # inputs of a real table, which is not read yet
ARRAYS = 12  # arrays of a layer's width per token that a gradient keeps


class Blocks(Protocol):
    """The settings of a decoder of any kind."""

    num_layers: int
    width: int
    num_heads: int
    mlp_width: int


def examples_of(task: Parameters) -> int:
    """Return N + Q, the inputs of an episode."""
    return task.num_context + queries_of(task)


def queries_of(task: Parameters) -> int:
    """Return Q; where queries are the examples, as many as these."""
    own = task.num_context if isinstance(task, Functions | Markov | HmmMixture | Items) else 1
    return getattr(task, "num_queries", own)


def outputs_of(task: Parameters) -> int:
    """Return the width of an answer."""
    return max(getattr(task, name, 1) for name in ("output_dim", "num_classes", "num_symbols", "num_items"))


def numbers_of(task: Parameters) -> float:
    """Return how many numbers an episode has: inputs, answers, documents, slates."""
    inputs = max(getattr(task, name, 1) for name in ("input_dim", "item_dim", "taste_dim"))
    documents = getattr(task, "num_documents", 0) * (inputs + outputs_of(task))
    each = inputs + outputs_of(task) + getattr(task, "slate", 0) * inputs
    if hasattr(task, "doc_dim"):  # documents of each example
        return examples_of(task) * (each + getattr(task, "num_documents", 0) * getattr(task, "doc_dim", 0))
    return examples_of(task) * each + documents


def episode_bytes(task: Parameters) -> float:
    """Return the bytes of one episode."""
    return FLOAT * numbers_of(task)


def width_of(task: Parameters) -> float:
    """Return the numbers of one example."""
    return numbers_of(task) / examples_of(task)


def file_bytes(path: str) -> float:
    """Return the size of a file, or of the files of a folder; 0 where there is none."""
    if os.path.isdir(path):
        return float(sum(entry.stat().st_size for entry in os.scandir(path) if entry.is_file()))
    return float(os.path.getsize(path)) if os.path.isfile(path) else 0.0


def at_a_time(task: Parameters, batch: float) -> float:
    """Return how many episodes of a batch a processor takes at a time."""
    return max(1.0, min(batch, PART / episode_bytes(task)))


def side_by_side(task: Parameters, batch: int) -> float:
    """Return how many members of a population a processor trains at a time."""
    return 1 + PART // (batch * episode_bytes(task))


def weights_of(model: Blocks, inputs: float = 0) -> float:
    """Return how many weights a decoder has; inputs: the widths of what it embeds and answers."""
    layers = 1 if getattr(model, "recurrent", False) else model.num_layers
    return layers * (4 * model.width**2 + 2 * model.width * model.mlp_width) + model.width * inputs


def forward(model: Blocks, tokens: float, inputs: float = 0, keys: float | None = None) -> float:
    """Return the multiply-adds of one prompt. keys: tokens that a token sees, by default all."""
    visible = tokens if keys is None else keys
    projections = 4 * model.width**2 + 2 * model.width * model.mlp_width
    attention = visible * (2 * model.width + EXPONENTIAL * model.num_heads)
    return tokens * (model.num_layers * (projections + attention) + model.width * inputs)


def activations(model: Blocks, tokens: float, keys: float | None = None) -> float:
    """Return the bytes of one prompt that a gradient keeps."""
    visible = tokens if keys is None else keys
    per_token = ARRAYS * model.width + 4 * model.mlp_width + 3 * model.num_heads * visible
    return FLOAT * model.num_layers * tokens * per_token


def answering(model: Blocks, tokens: float, keys: float | None = None) -> float:
    """Return the bytes of one prompt that is answered without a gradient: those of one layer."""
    visible = tokens if keys is None else keys
    return FLOAT * tokens * (6 * model.width + 2 * model.mlp_width + 3 * model.num_heads * visible)


def stream_tokens(model: Blocks, window: int, targets: int, features: int) -> tuple[float, float]:
    """Return T of a prompt of a click stream, and how many tokens one of them is compared with: those of its window and
    of two blocks or, in a single block, all."""
    tokens = (window + targets) * (features + 1) + targets
    block = block_of(getattr(model, "block", None), window, targets, features)
    return tokens, tokens if block is None else min(tokens, (window + 2 * block) * (features + 2))


def stream_forward(model: Blocks, window: int, targets: int, features: int) -> float:
    """Return the multiply-adds of one prompt of a click stream."""
    tokens, keys = stream_tokens(model, window, targets, features)
    return forward(model, tokens, keys=keys)


def stream_activations(model: Blocks, window: int, targets: int, features: int) -> float:
    """Return the bytes of one prompt of a click stream that a gradient keeps."""
    tokens, keys = stream_tokens(model, window, targets, features)
    return activations(model, tokens, keys)


def stream_answering(model: Blocks, window: int, targets: int, features: int) -> float:
    """Return the bytes of one prompt of a click stream that is answered without a gradient."""
    tokens, keys = stream_tokens(model, window, targets, features)
    return answering(model, tokens, keys)


def evaluations(steps: int, every: int) -> float:
    """Return how often a training is evaluated: every so many steps, and at halves of the first of these."""
    return 2 + steps / every + math.log2(max(2, min(every, steps)))


def tokens_of(model: Model, task: Parameters) -> int:
    """Return T of a decoder of examples."""
    if model.layout is SequenceKind.interleaved:
        own = 0 if isinstance(task, Functions) else queries_of(task)
        return model.instructions + 2 * task.num_context + own
    return model.instructions + examples_of(task)


def decoder_sizes(settings: TrainsDecoder, optimal: float = 0.0) -> Sizes:
    """Return the sizes of a run that trains a decoder, evaluations of the training among them.

    Args:
        optimal: multiply-adds of the Bayes-optimal answer to one episode.
    """
    model, task, train, seeds = settings.model, settings.task, settings.train, settings.seeds
    tokens, inputs = tokens_of(model, task), width_of(task)
    one, draw = forward(model, tokens, inputs), DRAW * numbers_of(task)
    step = train.batch_size * (BACKWARD * one + draw) + 10 * weights_of(model, inputs)
    looks = evaluations(train.steps, train.eval_every)
    part = at_a_time(task, train.batch_size)
    one_seed = part * (activations(model, tokens) + 3 * episode_bytes(task))
    return Sizes(
        memory={
            "the weights": FLOAT * COPIES * seeds * weights_of(model, inputs),
            "the test episodes": settings.eval.in_training * episode_bytes(task) * 3,
        },
        operations={
            "training": seeds * train.steps * step,
            "evaluation": seeds * settings.eval.in_training * (looks * (one + draw) + 2 * optimal),
        },
        silent={
            "training": seeds * min(train.eval_every, train.steps) * step,
            "an evaluation": settings.eval.in_training * (one + draw + optimal),
        },
        batch=seeds * one_seed,
        largest_batch=(settings.population.chunk or side_by_side(task, train.batch_size)) * one_seed,
        parts=train.batch_size / part,
        seconds=10 + 1.5 * model.num_layers,
        joint=True,
    )


def maker_of(command: Sequence[str], words: Sequence[str] = ()) -> TrainsDecoder:
    """Return the settings of the run that trains the decoders that another starts from.

    Args:
        command: the words of that run.
        words: what the task to test on differs in.

    Raises:
        Unknown: it trains no decoders.
    """
    maker = compose([*command, *words])
    if not isinstance(maker, TrainsDecoder):
        raise Unknown
    return maker


def recommender_sizes(model: RecommenderModel, train: Training, task: Parameters, tokens: float | None = None) -> Sizes:
    """Return the sizes of training a decoder that recommends.

    Args:
        tokens: of a prompt; by default examples and queries of the task.
    """
    length, inputs = tokens or examples_of(task), width_of(task)
    step = train.batch_size * (BACKWARD * forward(model, length, inputs) + DRAW * numbers_of(task))
    return Sizes(
        memory={
            "the weights": FLOAT * COPIES * weights_of(model, inputs),
            "a batch": at_a_time(task, train.batch_size) * (activations(model, length) + 3 * episode_bytes(task)),
        },
        operations={"training": train.steps * step},
        silent={"training": train.steps / 20 * step},
    )


@dataclass
class Decoder:
    """The numbers of a decoder that is no section of settings."""

    num_layers: int
    width: int
    num_heads: int
    mlp_width: int


def token_width(task: Parameters) -> int:
    """Return D of merged tokens: inputs, answers, and what documents add to them."""
    inputs, outputs = getattr(task, "input_dim", COLUMNS), getattr(task, "output_dim", 1)
    if hasattr(task, "doc_dim"):
        return inputs + outputs + getattr(task, "num_documents", 0) * getattr(task, "doc_dim", 0)
    return inputs * (2 if hasattr(task, "num_documents") else 1) + outputs


def stack_tokens(model: Stack, task: Parameters) -> tuple[float, float]:
    """Return T and D of a stack of attention layers: interleaved tokens have a code of their position."""
    documents = getattr(task, "num_documents", 0) if model.injection is Injection.each else 0
    if model.interleaved:
        tokens = 2 * task.num_context + queries_of(task)
        return tokens, token_width(task) + tokens
    return examples_of(task) + documents, token_width(task)


def stack_weights(model: Stack, task: Parameters) -> float:
    """Return how many weights the Transformer has, its features' among them."""
    _, width = stack_tokens(model, task)
    matrices = model.num_heads * ((1 if model.recurrent else model.num_layers) + model.interleaved)
    return matrices * 4 * width**2 + 2 * model.hidden * width


def stack_forward(model: Stack, task: Parameters) -> float:
    """Return the multiply-adds of one episode. The fast form of linear layers has products of vectors in the last two,
    and matrices of D x D in the others (`lab.attention.fast_linear`); softmax has scores between all tokens."""
    tokens, width = stack_tokens(model, task)
    layers, heads = model.num_layers, model.num_heads
    features = 2 * tokens * model.hidden * width if model.features.value != "inputs" else 0.0
    interleaved = tokens * width * (4 * width + 2 * tokens) if model.interleaved else 0.0
    if model.layer is not LayerKind.linear:
        return layers * heads * tokens * (4 * width**2 + tokens * (2 * width + EXPONENTIAL)) + features + interleaved
    vectors = 8 * tokens * width * min(layers, 2)
    matrices = 2 * tokens * width**2 * max(0, layers - 2)
    return heads * (vectors + matrices + 4 * layers * width**2) + features + interleaved


def stack_activations(model: Stack, task: Parameters) -> float:
    """Return the bytes of one episode that a gradient keeps."""
    tokens, width = stack_tokens(model, task)
    scores = tokens**2 if model.interleaved or model.layer is not LayerKind.linear else 0.0
    per_layer = model.num_heads * (4 * tokens * width + width**2 + 3 * scores)
    return FLOAT * (model.num_layers * per_layer + 2 * tokens * model.hidden) + 2 * episode_bytes(task)


def stack_step(model: Stack, task: Parameters, train: Train) -> float:
    """Return the multiply-adds of one training step."""
    gradient = BACKWARD * stack_forward(model, task) + DRAW * numbers_of(task)
    return train.batch_size * gradient + 20 * stack_weights(model, task) * (1 + stack_tokens(model, task)[1] / 4)
