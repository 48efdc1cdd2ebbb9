"""The families of language models, by `model_type`: names of their switches in `config.json`, and defaults.

Sources: the configuration classes of `transformers`, whose defaults are those of files that leave a key out.
"""

import dataclasses
import itertools
import json
from collections.abc import Callable
from typing import Any

from lab.errors import ConfigError, printable, short
from lab.language.arch import WORDS, Arch, Config, divided, flag, number, refuse, shown, turning, value, whole, word
from lab.language.positions import frequencies, slopes

ALL = frozenset({"q", "k", "v", "o", "up", "down"})
SLIDING, FULL = "sliding_attention", "full_attention"  # of `layer_types`


def gpt2(config: Config) -> Arch:
    """Return the switches of GPT-2 (Radford et al. 2019): learned positions, norms before."""
    refuse(config, "add_cross_attention", False)
    width, heads, layers = whole(config, "n_embd"), whole(config, "n_head"), whole(config, "n_layer")
    head = divided(width, heads)
    scale = head**-0.5 if flag(config, "scale_attn_weights", True) else 1.0
    by_layer = flag(config, "scale_attn_by_inverse_layer_idx", False)
    return Arch(
        **_sizes(config, width, layers, heads, head, whole(config, "n_inner", 4 * width)),
        max_positions=whole(config, ["n_positions", "n_ctx"], most=WORDS),
        activation=word(config, "activation_function", "gelu_new"),
        epsilon=number(config, "layer_norm_epsilon", 1e-5),
        scales=tuple(scale / (layer + 1 if by_layer else 1) for layer in range(layers)),
        position_offset=0,
        tied=flag(config, "tie_word_embeddings", True),
        biases=ALL,
    )


def opt(config: Config) -> Arch:
    """Return the switches of OPT (Zhang et al. 2022): positions start at row 2; that of 350M has its norms after."""
    refuse(config, "layer_norm_elementwise_affine", True)
    width, heads, layers = whole(config, "hidden_size"), whole(config, "num_attention_heads"), _layers(config)
    first = flag(config, "do_layer_norm_before", True)
    head = divided(width, heads)
    sizes = _sizes(config, width, layers, heads, head, whole(config, "ffn_dim"))
    sizes["embed_width"] = whole(config, "word_embed_proj_dim", width)
    return Arch(
        **sizes,
        max_positions=whole(config, "max_position_embeddings", most=WORDS),
        activation=word(config, "activation_function", "relu"),
        epsilon=1e-5,
        scales=(head**-0.5,) * layers,
        norm_after=not first,
        norm_at_end=first and not flag(config, "_remove_final_layer_norm", False),
        position_offset=2,
        tied=flag(config, "tie_word_embeddings", True),
        biases=ALL if flag(config, "enable_bias", True) else frozenset(),
    )


def gpt_neo(config: Config) -> Arch:
    """Return the switches of GPT-Neo (Black et al. 2021): scores without a factor, layers with a window."""
    width, heads, layers = (
        whole(config, "hidden_size"),
        whole(config, ["num_heads", "num_attention_heads"]),
        _layers(config),
    )
    kinds = value(config, "attention_layers", None)
    if kinds is None:
        every = (kind for names, times in value(config, "attention_types") for _ in range(times) for kind in names)
        kinds = [*itertools.islice(every, layers + 1)]
    if len(kinds) != layers or {*kinds} - {"global", "local"}:
        raise ConfigError(f"config.json: attention_types must say global or local for each of {layers} layers")
    return Arch(
        **_sizes(config, width, layers, heads, divided(width, heads), whole(config, "intermediate_size", 4 * width)),
        max_positions=whole(config, "max_position_embeddings", most=WORDS),
        activation=word(config, "activation_function", "gelu_new"),
        epsilon=number(config, "layer_norm_epsilon", 1e-5),
        scales=(1.0,) * layers,
        position_offset=0,
        local=tuple(kind == "local" for kind in kinds),
        window=whole(config, "window_size", 256, most=WORDS),
        tied=flag(config, "tie_word_embeddings", True),
        biases=ALL - {"q", "k", "v"},
    )


def bloom(config: Config) -> Arch:
    """Return the switches of BLOOM (Scao et al. 2022): ALiBi, so no longest sequence, and a norm of the embeddings."""
    refuse(config, "apply_residual_connection_post_layernorm", False)
    width, layers = whole(config, ["n_embed", "hidden_size"]), whole(config, ["n_layer", "num_hidden_layers"])
    heads = whole(config, ["n_head", "num_attention_heads"])
    head = divided(width, heads)
    return Arch(
        **_sizes(config, width, layers, heads, head, 4 * width),
        max_positions=None,
        activation="gelu_new",
        epsilon=number(config, "layer_norm_epsilon", 1e-5),
        scales=(head**-0.5,) * layers,
        norm_of_embeddings=True,
        slopes=slopes(heads),
        tied=flag(config, "tie_word_embeddings", True),
        biases=ALL,
    )


def gptj(config: Config) -> Arch:
    """Return the switches of GPT-J (Wang and Komatsuzaki 2021): a parallel block of one norm, planes of neighbours."""
    width, heads, layers = whole(config, "n_embd"), whole(config, "n_head"), whole(config, "n_layer")
    head = divided(width, heads)
    rotary = whole({"rotary_dim": 64, **config}, "rotary_dim", width)  # null: the whole width
    return Arch(
        **_sizes(config, width, layers, heads, head, whole(config, "n_inner", 4 * width)),
        max_positions=whole(config, "n_positions", most=WORDS),
        activation=word(config, "activation_function", "gelu_new"),
        epsilon=number(config, "layer_norm_epsilon", 1e-5),
        scales=(head**-0.5,) * layers,
        parallel=True,
        one_norm=True,
        frequencies=frequencies(turning(rotary, head, "rotary_dim"), 10_000.0, None),
        neighbours=True,
        tied=flag(config, "tie_word_embeddings", False),
        biases=frozenset({"up", "down", "head"}),
    )


def gpt_neox(config: Config) -> Arch:
    """Return the switches of GPT-NeoX (Black et al. 2022): a parallel block with two norms, a part of a head turns."""
    width, heads, layers = whole(config, "hidden_size"), whole(config, "num_attention_heads"), _layers(config)
    head = divided(width, heads)
    share = _rope(config, "partial_rotary_factor", "rotary_pct", 0.25)
    planes = turning(int(head * min(share, 2.0)), head, "rotary_pct")
    return Arch(
        **_sizes(config, width, layers, heads, head, whole(config, "intermediate_size")),
        max_positions=whole(config, "max_position_embeddings", most=WORDS),
        activation=word(config, "hidden_act", "gelu"),
        epsilon=number(config, "layer_norm_eps", 1e-5),
        scales=(head**-0.5,) * layers,
        parallel=flag(config, "use_parallel_residual", True),
        frequencies=_frequencies(config, planes, "rotary_emb_base"),
        tied=flag(config, "tie_word_embeddings", False),
        biases=ALL if flag(config, "attention_bias", True) else frozenset({"up", "down"}),
    )


def llama(config: Config) -> Arch:
    """Return the switches of Llama (Touvron et al. 2023): RMS norms, rotary halves, gated MLP."""
    attention, mlp = flag(config, "attention_bias", False), flag(config, "mlp_bias", False)
    return _llama(config, ("q", "k", "v", "o") * attention + ("up", "down", "gate") * mlp)


def mistral(config: Config) -> Arch:
    """Return the switches of Mistral (Jiang et al. 2023): Llama's, and a window in all layers, or in some of them."""
    layers, kinds = _layers(config), value(config, "layer_types", None)
    is_open = config.get("sliding_window", 0) is None
    local = [not is_open] * layers if kinds is None else [kind == SLIDING for kind in kinds]
    if len(local) != layers or {*(kinds or [])} - {SLIDING, FULL}:
        raise ConfigError(f"config.json: layer_types must say {SLIDING} or {FULL} for each of {layers} layers")
    if any(local) and is_open:
        raise ConfigError(f"config.json: layer_types has {SLIDING}, and sliding_window is null")
    window = whole(config, "sliding_window", 4096, most=WORDS)
    more: dict[str, Any] = {"window": window, "local": tuple(local)} if any(local) else {}
    groups = config.get("num_key_value_heads", 8)  # null: as many as heads
    return _llama({**config, "num_key_value_heads": groups}, (), **more)


def qwen2(config: Config) -> Arch:
    """Return the switches of Qwen2 (Yang et al. 2024): Llama's, with biases of queries, keys and values."""
    _refuse_windows(config)
    return _llama(config, ("q", "k", "v"))


def qwen3(config: Config) -> Arch:
    """Return the switches of Qwen3 (Yang et al. 2025): Llama's, with norms of each head's queries and keys."""
    _refuse_windows(config)
    biases = ("q", "k", "v", "o") * flag(config, "attention_bias", False)
    return _llama(config, biases, head=128, norm_of_heads=True)


FAMILIES: dict[str, Callable[[Config], Arch]] = {
    each.__name__: each for each in (gpt2, opt, gpt_neo, bloom, gptj, gpt_neox, llama, mistral, qwen2, qwen3)
}


def arch_of(config: Config) -> Arch:
    """Return the architecture that a `config.json` describes.

    Args:
        config: the contents of the file, or a dictionary of the same form.

    Raises:
        ConfigError: the family or one of its switches is not supported, or a value is missing.
    """
    family = value(config, "model_type")
    if not isinstance(family, str) or family not in FAMILIES:
        allowed = ", ".join(sorted(FAMILIES))
        raise ConfigError(f"config.json: model_type={shown(family)} is not supported; allowed: {allowed}")
    if config.get("quantization_config") is not None:
        raise ConfigError(
            "config.json: quantization_config: quantised weights are not supported; use the original ones"
        )
    try:
        return dataclasses.replace(FAMILIES[family](config), config=json.dumps(config, sort_keys=True))
    except (TypeError, ValueError, AttributeError, KeyError, RecursionError) as error:  # another form than the family's
        why = short(printable(str(error)))
        raise ConfigError(f"config.json: is not understood as {family}'s ({why})") from error


def _llama(config: Config, biases: tuple[str, ...], head: int | None = None, **more: Any) -> Arch:
    width, heads, layers = whole(config, "hidden_size"), whole(config, "num_attention_heads"), _layers(config)
    head = whole(config, "head_dim", head or divided(width, heads))
    if (share := _rope(config, "partial_rotary_factor", "partial_rotary_factor", 1.0)) != 1:
        raise ConfigError(f"config.json: partial_rotary_factor={share} is not supported in this family")
    groups = whole(config, "num_key_value_heads", heads)
    if heads % groups:
        raise ConfigError(f"config.json: {groups} groups do not divide {heads} heads")
    return Arch(
        **_sizes(config, width, layers, heads, head, whole(config, "intermediate_size")) | {"groups": groups},
        max_positions=whole(config, "max_position_embeddings", most=WORDS),
        activation=word(config, "hidden_act", "silu"),
        epsilon=number(config, "rms_norm_eps", 1e-6),
        scales=(head**-0.5,) * layers,
        rms=True,
        frequencies=_frequencies(config, turning(head, head, "head_dim"), "rope_theta"),
        gated=True,
        tied=flag(config, "tie_word_embeddings", False),
        biases=frozenset(biases),
        **more,
    )


def _refuse_windows(config: Config) -> None:
    refuse(config, "use_sliding_window", False)
    if {*value(config, "layer_types", [])} - {FULL}:
        raise ConfigError("config.json: layer_types: layers with a window are not supported in this family")


def _sizes(config: Config, width: int, layers: int, heads: int, head: int, mlp: int) -> dict[str, Any]:
    return {
        "family": config["model_type"],
        "vocabulary": whole(config, "vocab_size", most=WORDS),
        "width": width,
        "layers": layers,
        "heads": heads,
        "groups": heads,
        "head_width": head,
        "mlp_width": mlp,
        "embed_width": width,
    }


def _layers(config: Config) -> int:
    return whole(config, ["num_hidden_layers", "num_layers", "n_layer"])


def _rope(config: Config, new: str, old: str, default: float) -> float:
    """Return a number of the rotary positions, under its new name in `rope_parameters` or its old one."""
    parameters = value(config, "rope_parameters", {})
    return number(parameters, new) if parameters.get(new) is not None else number(config, old, default)


def _frequencies(config: Config, planes: int, base_name: str) -> tuple[float, ...]:
    scaling = value(config, "rope_parameters", value(config, "rope_scaling", None))
    return frequencies(planes, _rope(config, "rope_theta", base_name, 10_000.0), scaling)
