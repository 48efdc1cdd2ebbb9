"""A language model as a learner, so that the lab's one training can train it."""

import jax
from flax import nnx

from lab.language.arch import Arch
from lab.language.model import LanguageModel
from lab.learners.learner import Learner
from tasks.episode import Prompt


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
