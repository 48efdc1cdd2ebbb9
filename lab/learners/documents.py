"""The documents of a prompt, for learners that cannot answer without any."""

import jax

from tasks.episode import Prompt


def documents(prompt: Prompt) -> jax.Array:
    """Return the documents (K, W) of a prompt.

    Raises:
        ValueError: the prompt has none.
    """
    if prompt.documents is None:
        raise ValueError("this learner reads documents, and the prompt has none")
    return prompt.documents
