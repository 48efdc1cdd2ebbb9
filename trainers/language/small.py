"""The lab's own small language model: its shape, its tokenizer, its training, and the folder that it is kept in."""

import pathlib

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from lab.config.base import Device
from lab.config.small_language import SmallModel
from lab.config.training import Training
from lab.language.arch import Arch
from lab.language.families import arch_of
from lab.language.model import LanguageModel
from lab.language.shapes import init_params
from lab.language.tokens import Tokenizer
from lab.language.weights import save
from lab.learners.learner import Learner
from tasks.episode import Prompt
from tasks.sentences import Sentences
from tasks.texts.words import ADJECTIVES, NOUNS, NUMBER, QUESTIONS, UNKNOWN, WORDS
from trainers import meta
from trainers.population import Member, seeded
from trainers.programs import Programs
from trainers.recipe import Recipe
from trainers.session import Session
from trainers.streams import Stream, key_of

MODEL = "model"  # the name of the learner, and of the folder in a run's directory
FILES = ("config.json", "model.safetensors", "tokenizer.json")


class Reader(Learner):
    """The language model of some weights, which answers at every token with the logits of the next one.

    A prompt is a document: its tokens are `context.x`, (T,), and it has no queries.
    """

    def __init__(self, arch: Arch, params: dict):
        self.arch = arch
        self.params = nnx.data(jax.tree.map(nnx.Param, params))

    @property
    def model(self) -> LanguageModel:
        """The language model itself, with arrays for its parameters."""
        params = jax.tree.map(lambda leaf: leaf[...], self.params, is_leaf=lambda leaf: isinstance(leaf, nnx.Param))
        return LanguageModel(self.arch, params)

    def __call__(self, prompt: Prompt) -> jax.Array:
        """Return the logits (T, V)."""
        return self.model.logits(prompt.context.x)


def arch_of_settings(model: SmallModel) -> Arch:
    """Return the architecture: a Llama with rotary positions."""
    return arch_of(
        {
            "model_type": "llama",
            "vocab_size": len(WORDS),
            "hidden_size": model.width,
            "intermediate_size": model.mlp_width,
            "num_hidden_layers": model.num_layers,
            "num_attention_heads": model.num_heads,
            "num_key_value_heads": model.num_heads,
            "max_position_embeddings": model.positions,
            "rope_theta": 10000.0,
            "rms_norm_eps": 1e-6,
            "hidden_act": "silu",
            "tie_word_embeddings": False,
        }
    )


def tokenizer() -> Tokenizer:
    """Return a tokenizer with one token per word."""
    import tokenizers  # in the extra `language`
    from tokenizers import models, pre_tokenizers

    inner = tokenizers.Tokenizer(models.WordLevel(NUMBER, unk_token=UNKNOWN))
    inner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return Tokenizer.of(inner)


def session_of(
    model: SmallModel, training: Training, task: Sentences, seed: int, device: Device, programs: Programs
) -> Session:
    """Return the session that trains the model of a seed."""
    arch, recipe = arch_of_settings(model), Recipe.of(training, model.num_layers)

    def begin(member: Member, prepared: None) -> dict[str, meta.TrainState]:
        def make(key: jax.Array, init_scale: jax.Array) -> Reader:
            params = init_params(arch, key)
            layers = params["layers"].items()
            scaled = {name: leaf * jnp.sqrt(init_scale) if leaf.ndim == 3 else leaf for name, leaf in layers}
            return Reader(arch, params | {"layers": scaled})

        return {MODEL: meta.begin(make, member.recipe, member.key)}

    population = seeded(task, recipe, [jax.random.key(seed)])
    return Session(population, lambda member: None, begin, device, label=MODEL, programs=programs)


def write(folder: pathlib.Path, learner: Reader) -> None:
    """Write the model and its tokenizer as the hub lays them out."""
    save(folder, learner.model, tokenizer())


def labelled_rows(seed: int, stream: Stream, count: int, wrong: float) -> list[dict]:
    """Return rows of sentences with the places of their classes, in each question's words.

    Args:
        stream: by which they are drawn.
        wrong: the probability that a class is wrong, and then one of the question's others.
    """
    keys = jax.random.split(key_of(seed, stream), 3)
    noun_C, adjective_C = (
        np.asarray(jax.random.randint(key, (count,), 0, len(words)))
        for key, words in zip(keys, (NOUNS, ADJECTIVES), strict=False)
    )
    uniform_CxQx2 = np.asarray(jax.random.uniform(keys[2], (count, len(QUESTIONS), 2)))
    rows = []
    for noun, adjective, uniform_Qx2 in zip(noun_C, adjective_C, uniform_CxQx2, strict=True):
        row: dict[str, object] = {"text": f"the {NOUNS[noun]} is {ADJECTIVES[adjective]}"}
        places = {"topic": (noun, NOUNS), "sentiment": (adjective, ADJECTIVES)}
        for (question, words), (change, other) in zip(QUESTIONS.items(), uniform_Qx2, strict=True):
            place, all_of_them = places[question]
            label = int(place) // (len(all_of_them) // len(words))
            if change < wrong:
                label = (label + 1 + int(other * (len(words) - 1))) % len(words)
            row[question] = label
        rows.append(row)
    return rows
