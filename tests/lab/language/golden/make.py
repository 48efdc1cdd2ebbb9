"""Makes the golden files of tests/lab/language: tiny random models, and what `transformers` makes of them.

    python -m tests.lab.language.golden.make FOLDER

in an environment with `torch` and `transformers`, which the lab's own does not have. A file holds the configuration,
the weights (rounded to float16, so that they are half as large), and in float32, with eager attention:

* `plain`: logits of two sequences, and `hidden`, the tokens before and after each layer but the last one;
* `rows`: logits of right-padded rows behind a common history, with an attention mask;
* `think_keys`, `think_values`: K~_4 and V~_4 of Deep-Thinking, as Appendix B of its source lists the update.
"""

import contextlib
import importlib
import json
import pathlib
import sys
from typing import Any

import numpy as np

torch: Any = None
transformers: Any = None
with contextlib.suppress(ImportError):  # the tests import this module for its settings too
    torch, transformers = importlib.import_module("torch"), importlib.import_module("transformers")

WORDS, HISTORY, ETA, BETA = 101, 9, 0.1, 0.9
LENGTHS = (7, 3, 5)  # of the rows
SHARED = {"vocab_size": WORDS, "max_position_embeddings": 48, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
GPT2 = {"n_embd": 24, "n_layer": 3, "n_head": 3, "n_positions": 48}
LLAMA = {"hidden_size": 30, "num_hidden_layers": 3, "num_attention_heads": 6, "num_key_value_heads": 2,
         "intermediate_size": 44, "head_dim": 6}  # fmt: skip
QWEN2 = {"hidden_size": 30, "num_hidden_layers": 3, "num_attention_heads": 3, "num_key_value_heads": 1,
         "intermediate_size": 44}  # fmt: skip
OPT = {"hidden_size": 20, "num_hidden_layers": 3, "num_attention_heads": 5, "ffn_dim": 36}
CASES = {
    "gpt2": ("gpt2", GPT2),
    "gpt2_by_layer": ("gpt2", GPT2 | {"scale_attn_by_inverse_layer_idx": True, "n_inner": 40}),
    "opt": ("opt", OPT),
    "opt_after": ("opt", OPT | {"do_layer_norm_before": False, "word_embed_proj_dim": 12}),
    "gpt_neo": ("gpt_neo", {"hidden_size": 28, "num_layers": 3, "num_heads": 7, "window_size": 5,
                            "attention_types": [[["global", "local"], 1], [["global"], 1]]}),
    "bloom": ("bloom", {"hidden_size": 30, "n_layer": 3, "n_head": 5}),
    "gptj": ("gptj", GPT2 | {"rotary_dim": 4}),
    "gpt_neox": ("gpt_neox", {"hidden_size": 48, "num_hidden_layers": 3, "num_attention_heads": 3,
                              "intermediate_size": 40, "rotary_pct": 0.25}),
    "gpt_neox_serial": ("gpt_neox", {"hidden_size": 24, "num_hidden_layers": 3, "num_attention_heads": 3,
                                     "intermediate_size": 40, "rotary_pct": 0.5, "use_parallel_residual": False,
                                     "hidden_act": "gelu_new"}),
    "llama": ("llama", LLAMA | {"rope_parameters": {
        "rope_type": "llama3", "rope_theta": 500.0, "factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        "original_max_position_embeddings": 16}}),
    "llama_tied": ("llama", LLAMA | {"tie_word_embeddings": True, "attention_bias": True, "mlp_bias": True,
                                     "num_key_value_heads": 6,
                                     "rope_parameters": {"rope_type": "linear", "rope_theta": 100.0, "factor": 2.0}}),
    "mistral": ("mistral", LLAMA | {"head_dim": 8, "sliding_window": 6, "num_key_value_heads": 3}),
    "qwen2": ("qwen2", QWEN2),
    "qwen3": ("qwen3", LLAMA | {"head_dim": 8, "num_key_value_heads": 3}),
}  # fmt: skip


def build(family: str, settings: dict, seed: int):
    """Return a model with weights of N(0, .15^2), those of norms around 1, rounded to float16."""
    torch.manual_seed(seed)
    config = transformers.AutoConfig.for_model(family, **SHARED | settings)
    model = transformers.AutoModelForCausalLM.from_config(config, attn_implementation="eager", dtype=torch.float32)
    with torch.no_grad():
        for name, weights in model.named_parameters():
            norm = weights.ndim == 1 and name.endswith("weight")
            weights.copy_((norm + 0.15 * torch.randn_like(weights)).half().float())
    return model.eval()


def cache_of(layers):
    """Return a cache that keeps all keys, whatever the model's windows, from [(keys, values)] of (B, G, S, A)."""
    cache = transformers.DynamicCache()
    for layer, (keys, values) in enumerate(layers):
        cache.update(keys, values, layer)
    return cache


def keys_values(cache):
    return [(layer.keys, layer.values) for layer in cache.layers]


def think(model, tokens):
    """K~_4 and V~_4: the listing's update of keys and values by momentum, three times after a plain reading."""
    count, kept, momentum = tokens.shape[1], [], []
    for _ in range(4):
        cache = cache_of(kept)
        model(tokens, past_key_values=cache, use_cache=True)
        read = [(keys[:, :, -count:], values[:, :, -count:]) for keys, values in keys_values(cache)]
        if not kept:
            kept, momentum = read, [(0, 0)] * len(read)
            continue
        momentum = [
            tuple(new - old + BETA * m for new, old, m in zip(*layer, strict=True))
            for layer in zip(read, kept, momentum, strict=True)
        ]
        kept = [
            tuple(old + ETA * m for old, m in zip(*layer, strict=True)) for layer in zip(kept, momentum, strict=True)
        ]
    return (np.stack([layer[i][0].numpy() for layer in kept]) for i in (0, 1))


def golden(name: str, seed: int) -> dict[str, np.ndarray]:
    """Return the arrays of a golden file."""
    with torch.no_grad():
        return _golden(name, seed)


def _golden(name: str, seed: int) -> dict[str, np.ndarray]:
    family, settings = CASES[name]
    model = build(family, settings, seed)
    draw = np.random.default_rng(seed)
    plain, past = (torch.tensor(draw.integers(3, WORDS, shape)) for shape in ((2, 12), (1, HISTORY)))
    rows = torch.tensor(draw.integers(3, WORDS, (len(LENGTHS), max(LENGTHS))))
    whole = model(plain, output_hidden_states=True, past_key_values=cache_of([]))
    cache = cache_of([])
    model(past, past_key_values=cache, use_cache=True)
    behind = [tuple(each.expand(len(rows), -1, -1, -1) for each in layer) for layer in keys_values(cache)]
    real = torch.arange(rows.shape[1])[None] < torch.tensor(LENGTHS)[:, None]
    mask = torch.cat([torch.ones(len(rows), HISTORY, dtype=torch.bool), real], dim=1).long()
    rows_logits = model(rows, past_key_values=cache_of(behind), attention_mask=mask).logits
    keys, values = think(model, past)
    weights = {f"weights/{key}": each.numpy().astype(np.float16) for key, each in model.state_dict().items()}
    if name == "gpt_neox":  # published files have the older name
        weights["weights/embed_out.weight"] = weights.pop("weights/lm_head.weight")
    if model.config.tie_word_embeddings:
        tied = {"weights/lm_head.weight", "weights/embed_out.weight"}
        weights = {key: each for key, each in weights.items() if key not in tied}
    versions = {"transformers": transformers.__version__, "torch": torch.__version__, "numpy": np.__version__}
    return weights | {
        "config": np.array(model.config.to_json_string(use_diff=False)),
        "versions": np.array(json.dumps(versions)),
        "plain_tokens": plain.numpy(),
        "plain": whole.logits.numpy(),
        "hidden": np.stack([each.numpy() for each in whole.hidden_states[:-1]]),
        "past_tokens": past[0].numpy(),
        "rows_tokens": rows.numpy(),
        "rows_lengths": np.array(LENGTHS),
        "rows": rows_logits.numpy(),
        "think_keys": keys,
        "think_values": values,
    }


def main(folder: str) -> None:
    """Write one file per case."""
    for seed, name in enumerate(CASES):
        path = pathlib.Path(folder) / f"{name}.npz"
        arrays: dict[str, Any] = golden(name, seed)
        np.savez_compressed(path, **arrays)
        print(path, path.stat().st_size)


if __name__ == "__main__":
    main(sys.argv[1])
