"""The names under which the files of each family hold a model's arrays, and how an array is cut out of a file's.

A name stands for NAME.weight and NAME.bias. In front of it is one of the family's prefixes, or nothing: a file may hold
the Transformer alone or the model around it. `{}` is the number of a layer. The head is `lm_head` but for GPT-NeoX.
"""

import dataclasses

import numpy as np

from lab.language.arch import Arch


@dataclasses.dataclass(frozen=True)
class Place:
    """The place of an array: the file's name for it, and its part of a matrix that holds queries, keys and values.

    blocks: the parts are one behind another (GPT-2); else they alternate head by head (BLOOM, GPT-NeoX).
    turned: the file's matrix is (out, in), so it is transposed.
    """

    name: str
    part: int | None = None
    blocks: bool = False
    turned: bool = True

    def cut(self, array: np.ndarray, arch: Arch) -> np.ndarray:
        """Return the lab's array, (in, out) or (out,), from the file's."""
        if array.ndim == 2 and self.turned:
            array = array.T
        if self.part is None:
            return array
        if self.blocks:
            return np.split(array, 3, axis=-1)[self.part]
        parts = array.reshape(*array.shape[:-1], arch.heads, 3, arch.head_width)
        return parts[..., self.part, :].reshape(*array.shape[:-1], -1)


@dataclasses.dataclass(frozen=True)
class Names:
    """The names of one family: prefixes, arrays outside the layers, and those of layer `{}`."""

    prefixes: tuple[str, ...]
    outside: dict[str, Place]
    layer: dict[str, Place]


def _outside(*, head: str = "lm_head", **names: str) -> dict[str, Place]:
    """Return the places of tables and norms, which are not transposed."""
    return {"head": Place(head, turned=False)} | {
        name: Place(place, turned=name.startswith("project")) for name, place in names.items()
    }


def _inside(block: str, turned: bool = True, **names: str) -> dict[str, Place]:
    return {name: Place(f"{block}.{place}", turned=turned) for name, place in names.items()}


def _fused(name: str, blocks: bool) -> dict[str, Place]:
    return {each: Place(name, part, blocks, not blocks) for part, each in enumerate("qkv")}


_LLAMA = Names(
    ("model.",),
    _outside(embed="embed_tokens", norm="norm"),
    _inside(
        "layers.{}", attention_norm="input_layernorm", mlp_norm="post_attention_layernorm",
        q="self_attn.q_proj", k="self_attn.k_proj", v="self_attn.v_proj", o="self_attn.o_proj",
        q_norm="self_attn.q_norm", k_norm="self_attn.k_norm",
        up="mlp.up_proj", gate="mlp.gate_proj", down="mlp.down_proj",
    ),
)  # fmt: skip
NAMES = {
    "gpt2": Names(
        ("transformer.",),
        _outside(embed="wte", positions="wpe", norm="ln_f"),
        _fused("h.{}.attn.c_attn", blocks=True)
        | _inside(
            "h.{}", turned=False, attention_norm="ln_1", mlp_norm="ln_2",
            o="attn.c_proj", up="mlp.c_fc", down="mlp.c_proj",
        ),
    ),
    "opt": Names(
        ("model.decoder.", "decoder.", "model."),
        _outside(
            embed="embed_tokens", positions="embed_positions", norm="final_layer_norm",
            project_in="project_in", project_out="project_out",
        ),
        _inside(
            "layers.{}", attention_norm="self_attn_layer_norm", mlp_norm="final_layer_norm",
            q="self_attn.q_proj", k="self_attn.k_proj", v="self_attn.v_proj", o="self_attn.out_proj",
            up="fc1", down="fc2",
        ),
    ),
    "gpt_neo": Names(
        ("transformer.",),
        _outside(embed="wte", positions="wpe", norm="ln_f"),
        _inside(
            "h.{}", attention_norm="ln_1", mlp_norm="ln_2", q="attn.attention.q_proj", k="attn.attention.k_proj",
            v="attn.attention.v_proj", o="attn.attention.out_proj", up="mlp.c_fc", down="mlp.c_proj",
        ),
    ),
    "bloom": Names(
        ("transformer.",),
        _outside(embed="word_embeddings", embed_norm="word_embeddings_layernorm", norm="ln_f"),
        _fused("h.{}.self_attention.query_key_value", blocks=False)
        | _inside(
            "h.{}", attention_norm="input_layernorm", mlp_norm="post_attention_layernorm",
            o="self_attention.dense", up="mlp.dense_h_to_4h", down="mlp.dense_4h_to_h",
        ),
    ),
    "gptj": Names(
        ("transformer.",),
        _outside(embed="wte", norm="ln_f"),
        _inside(
            "h.{}", attention_norm="ln_1", q="attn.q_proj", k="attn.k_proj", v="attn.v_proj", o="attn.out_proj",
            up="mlp.fc_in", down="mlp.fc_out",
        ),
    ),
    "gpt_neox": Names(
        ("gpt_neox.",),
        _outside(embed="embed_in", norm="final_layer_norm", head="embed_out"),
        _fused("layers.{}.attention.query_key_value", blocks=False)
        | _inside(
            "layers.{}", attention_norm="input_layernorm", mlp_norm="post_attention_layernorm",
            o="attention.dense", up="mlp.dense_h_to_4h", down="mlp.dense_4h_to_h",
        ),
    ),
    "llama": _LLAMA,
    "mistral": _LLAMA,
    "qwen2": _LLAMA,
    "qwen3": _LLAMA,
}  # fmt: skip
