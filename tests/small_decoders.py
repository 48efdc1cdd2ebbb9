"""A small decoder with random weights, and the prompts that it is asked."""

import jax

from lab.layouts.merged import TokenLayout
from lab.layouts.sequence import Merged
from lab.learners.decoder import Decoder
from lab.learners.decoder_shape import Shape

SMALL = {"width": 8, "num_layers": 2, "num_heads": 2, "num_groups": 2, "mlp_width": 8}


def small_decoder(task, examples=None, layout=Merged, scale=1.0, **shape) -> Decoder:
    """Its answers do not tie, since their matrix, which begins at zero, is random too.

    examples: of a prompt, if not as many as the task has. scale: of its initial weights. shape: other than `SMALL`.
    """
    whole = Shape(layout(TokenLayout.of(task)), examples or task.num_context, **(SMALL | shape))
    model = jax.jit(lambda key: Decoder(whole, key, scale))(jax.random.key(1))
    model.w_answer[...] = jax.random.normal(jax.random.key(2), model.w_answer.shape)
    return model


def prompt_of(episodes, b=0):
    """The prompt of an episode, whose queries see all examples."""
    return jax.tree.map(lambda leaf: leaf[b], episodes.prompt).replace(visible=None)


def without_examples(prompt):
    nothing = jax.tree.map(lambda leaf: leaf[:0], (prompt.context, prompt.answers))
    return prompt.replace(context=nothing[0], answers=nothing[1])
