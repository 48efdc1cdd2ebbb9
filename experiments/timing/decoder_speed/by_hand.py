"""The decoder written by hand for this one use, without the lab's modules: the reference for the lab's speed.

Arrays have the batch in front, and projections are plain matrices. A test checks that its answers are those of
`lab.learners.decoder`. Shape suffixes: B prompts, N examples, T = 2 N tokens, D width, H heads, A width of a head,
V width of the raw features of a token.
"""

import jax
import jax.numpy as jnp
import optax

from lab.attention.positional import Learned
from lab.learners.decoder import Decoder
from tasks.episode import Episode
from tasks.task import Task

EPSILON = 1e-6  # of layer norms


def weights_of(decoder: Decoder) -> dict:
    """Return the weights of a decoder of the lab as plain matrices.

    Args:
        decoder: on interleaved tokens, with learned positions and without instructions.
    """
    assert isinstance(decoder.positions, Learned)
    assert decoder.norm.scale is not None  # Flax's layer norms have both by default
    assert decoder.norm.bias is not None

    def layer(block) -> dict:
        width = block.w_q.shape[-1]
        return {
            "q": block.w_q[...].reshape(-1, width).T,
            "k": block.w_k[...].reshape(-1, width).T,
            "v": block.w_v[...].reshape(-1, width).T,
            "o": jnp.moveaxis(block.w_o[...], 1, -1).reshape(-1, width),
            "in": block.w_in[...].T,
            "in_bias": block.b_in[...],
            "out": block.w_out[...].T,
            "out_bias": block.b_out[...],
            "attention_norm": (block.attention_norm.scale[...], block.attention_norm.bias[...]),
            "mlp_norm": (block.mlp_norm.scale[...], block.mlp_norm.bias[...]),
        }

    return {
        "embed": decoder.w_embed[...].T,
        "kinds": decoder.kinds[...],
        "positions": decoder.positions.table_LxD[...],
        "layers": [layer(block) for block in decoder.blocks],
        "norm": (decoder.norm.scale[...], decoder.norm.bias[...]),
        "answer": decoder.w_answer[...].T,
    }


def answers(weights: dict, x_BxNxX: jax.Array, y_BxNxY: jax.Array, num_heads: int) -> jax.Array:
    """Return the answer to each input from the examples before it, (B, N, Y)."""
    input_tokens = jnp.pad(x_BxNxX, ((0, 0), (0, 0), (0, y_BxNxY.shape[-1])))
    answer_tokens = jnp.pad(y_BxNxY, ((0, 0), (0, 0), (x_BxNxX.shape[-1], 0)))
    batch, count, width = input_tokens.shape
    tokens_BxTxV = jnp.stack([input_tokens, answer_tokens], axis=2).reshape(batch, 2 * count, width)
    kinds_TxD = jnp.tile(weights["kinds"], (count, 1))
    x_BxTxD = tokens_BxTxV @ weights["embed"] + (kinds_TxD + weights["positions"][: 2 * count])[None]
    mask_TxT = jnp.tril(jnp.ones((2 * count, 2 * count), bool))
    for layer in weights["layers"]:
        x_BxTxD = x_BxTxD + _attended(layer, _normed(x_BxTxD, layer["attention_norm"]), mask_TxT, num_heads)
        hidden = jax.nn.gelu(_normed(x_BxTxD, layer["mlp_norm"]) @ layer["in"] + layer["in_bias"][None, None])
        x_BxTxD = x_BxTxD + hidden @ layer["out"] + layer["out_bias"][None, None]
    return _normed(x_BxTxD[:, ::2], weights["norm"]) @ weights["answer"]


def loss(weights: dict, episodes: Episode, num_heads: int) -> jax.Array:
    """Return 1/2 the squared error, averaged over prompts and examples."""
    prompt = episodes.prompt
    error = answers(weights, prompt.context.x, prompt.answers, num_heads) - episodes.target
    return 0.5 * jnp.mean(jnp.sum(error**2, axis=-1))


def train(weights: dict, task: Task, prompts: int, num_heads: int, key: jax.Array, steps: int) -> jax.Array:
    """Return the loss of the last of `steps` steps of Adam, each of which draws its prompts."""
    method = optax.adam(1e-3)

    def step(index, carried):
        weights, state, _ = carried
        episodes = task.sample(jax.random.fold_in(key, index), prompts)
        value, gradient = jax.value_and_grad(loss)(weights, episodes, num_heads)
        change, state = method.update(gradient, state)
        return optax.apply_updates(weights, change), state, value

    return jax.lax.fori_loop(0, steps, step, (weights, method.init(weights), jnp.zeros(())))[-1]


def _attended(layer: dict, x_BxTxD: jax.Array, mask_TxT: jax.Array, num_heads: int) -> jax.Array:
    batch, count, _ = x_BxTxD.shape
    q, k, v = ((x_BxTxD @ layer[name]).reshape(batch, count, num_heads, -1) for name in "qkv")
    scores_BxHxTxT = jnp.einsum("btha,bsha->bhts", q, k) / q.shape[-1] ** 0.5
    attention = jax.nn.softmax(jnp.where(mask_TxT[None, None], scores_BxHxTxT, -jnp.inf))
    return jnp.einsum("bhts,bsha->btha", attention, v).reshape(batch, count, -1) @ layer["o"]


def _normed(x: jax.Array, scale_and_bias: tuple[jax.Array, jax.Array]) -> jax.Array:
    scale, bias = (each[None, None] for each in scale_and_bias)
    return (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + EPSILON) * scale + bias
