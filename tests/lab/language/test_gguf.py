"""GGUF files that the format's own package writes from golden weights, as llama.cpp's converter arranges them."""

import functools
import json
import struct
import sys

import jax.numpy as jnp
import numpy as np
import pytest

from lab.language.families import arch_of
from lab.language.gguf_file import Gguf
from lab.language.tokens import Tokenizer
from lab.language.weights import load
from tests.lab.language.folders import LLAMA, byte_level, config, golden, loaded, tensors, the_line

gguf = pytest.importorskip("gguf", reason="the package gguf is not installed")
TEXTS = ["In 1789 there were 12345 films,  two of them good.\n\nIt's fine, isn't IT? Äußerst 東京"] * 4
KIND = {"gpt_neox": "gptneox"} | {name: name for name in ("bloom", "gpt2", "llama", "qwen2", "qwen3")}
TYPES = gguf.GGMLQuantizationType


def metadata(settings, **changes):
    """What llama.cpp's converter says of a model, beside its tokenizer."""
    arch = arch_of(settings)
    entries = {
        "block_count": arch.layers, "context_length": arch.max_positions or 2048, "embedding_length": arch.width,
        "feed_forward_length": arch.mlp_width, "attention.head_count": arch.heads,
        "attention.head_count_kv": arch.groups, "attention.key_length": arch.head_width,
        f"attention.layer_norm{'_rms' if arch.rms else ''}_epsilon": arch.epsilon,
    }  # fmt: skip
    if arch.frequencies:
        rope = settings.get("rope_parameters", {})
        entries |= {"rope.freq_base": float(rope.get("rope_theta", 10_000.0))}
        entries |= {"rope.dimension_count": 2 * len(arch.frequencies)}
        if rope.get("rope_type") == "linear":
            entries |= {"rope.scaling.type": "linear", "rope.scaling.factor": float(rope["factor"])}
    if arch.family == "gpt_neox":
        entries["use_parallel_residual"] = arch.parallel
    return {f"{KIND[arch.family]}.{key}": each for key, each in (entries | changes).items()}


def arranged(settings, weights):
    """The weights by the names of the format, each as llama.cpp's converter turns it."""
    arch, family = arch_of(settings), settings["model_type"]
    kind = KIND[family]
    table = gguf.get_tensor_name_map(next(a for a, b in gguf.MODEL_ARCH_NAMES.items() if b == kind), arch.layers)
    result = {}
    for name, each in weights.items():
        stem, end = name.rsplit(".", 1)
        own = table.get_name(stem) or table.get_name(stem.removeprefix("transformer."))
        array = each.astype(np.float32)
        if family == "gpt2" and end == "weight" and any(part in stem for part in ("c_attn", "c_proj", "c_fc")):
            array = array.T
        if "query_key_value" in name:
            array = np.concatenate([*np.moveaxis(array.reshape(arch.heads, 3, arch.head_width, -1), 1, 0)])
            array = array.reshape(each.shape)
        if kind == "llama" and (heads := {"q_proj": arch.heads, "k_proj": arch.groups}.get(stem.split(".")[-1])):
            array = array.reshape(heads, 2, -1, *each.shape[1:]).swapaxes(1, 2).reshape(each.shape)
        if own and not (own == "output" and arch.tied):
            result[f"{own}.{end}"] = array
    if arch.frequencies and settings.get("rope_parameters", {}).get("rope_type") == "llama3":
        planes, base = len(arch.frequencies), settings["rope_parameters"]["rope_theta"]
        result["rope_freqs.weight"] = np.array(
            [base ** (-r / planes) / f for r, f in enumerate(arch.frequencies)], "f4"
        )
    return result


def written(path, entries, arrays, kind="llama"):
    """A GGUF file; an array may be a pair of its bytes and its type."""
    writer = gguf.GGUFWriter(path, kind)
    for key, each in entries.items():
        if isinstance(each, list):
            writer.add_array(key, each)
        else:
            add = {bool: writer.add_bool, int: writer.add_uint32, float: writer.add_float32, str: writer.add_string}
            add[type(each)](key, each)
    for name, array in arrays.items():
        array, sort = array if isinstance(array, tuple) else (array, None)
        writer.add_tensor(name, np.ascontiguousarray(array), raw_dtype=sort)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def golden_file(path, name="llama", **changes):
    settings = config(name)
    kind = KIND[settings["model_type"]]
    return written(path, metadata(settings, **changes), arranged(settings, tensors(golden(name))), kind)


@pytest.mark.parametrize("name", ["llama", "llama_tied", "qwen2", "qwen3", "gpt2", "gpt_neox", "bloom"])
def test_a_file_gives_the_logits_of_transformers(name, tmp_path):
    notes = []
    model, expected = load(golden_file(tmp_path / "model.gguf", name), note=notes.append), golden(name)
    assert model.arch.tied == loaded(name).arch.tied
    for tokens, logits in zip(expected["plain_tokens"], expected["plain"], strict=True):
        np.testing.assert_allclose(model.logits(jnp.asarray(tokens)), logits, rtol=0, atol=2e-5)
    assert not notes, "no array is left, and none is quantised"


def quantised_file(path, array, sort):
    """A Llama of one layer, of which a matrix has this type."""
    entries = metadata(LLAMA | {"num_hidden_layers": 1})
    return written(path, entries, {"blk.0.ffn_up.weight": (array, sort), "token_embd.weight": np.ones((61, 32), "f4")})


def up(path):
    return Gguf(path)["model.layers.0.mlp.up_proj.weight"]


STEPS = {  # type: the step of a block with these smallest and largest weights, and how many of it are lost at most
    "F16": (lambda low, high: np.maximum(-low, high) * 2.0**-11, 1),
    "BF16": (lambda low, high: np.maximum(-low, high) * 2.0**-8, 1),
    "Q4_0": (lambda low, high: np.maximum(-low, high) / 8, 1.01),  # there are 8 below zero, 7 above
    "Q5_0": (lambda low, high: np.maximum(-low, high) / 16, 1.01),
    "Q8_0": (lambda low, high: np.maximum(-low, high) / 127, 0.6),  # a half, and the rounding of the step itself
    "Q4_1": (lambda low, high: (high - low) / 15, 0.52),
    "Q5_1": (lambda low, high: (high - low) / 31, 0.54),
}


@pytest.mark.parametrize("sort", STEPS)
def test_quantised_weights_are_within_a_step_of_the_floats(sort, tmp_path):
    weights = np.random.default_rng(0).normal(size=(24, 64)).astype(np.float32)
    bits = gguf.quants.quantize(weights, TYPES[sort])
    path = quantised_file(tmp_path / "model.gguf", bits, TYPES[sort])
    blocks = weights.reshape(-1, 32)
    step, most = STEPS[sort]
    bound = most * step(blocks.min(1), blocks.max(1))[:, None]
    assert (np.abs(up(path).reshape(-1, 32) - blocks) <= bound).all()
    assert Gguf(path).quantised == ([sort] if sort.startswith("Q") else [])


def q4_k(block, place, fifth=0):
    """Weight `place` of 256 of a block: d, dmin, 12 bytes of scales and minima of 6 bits, 128 of nibbles."""
    part, inside = divmod(place, 32)
    d, least = (float(each) for each in block[:4].view(np.float16))
    s, nibbles = [int(each) for each in block[4:16]], block[-128:]
    if part < 4:
        scale, low = s[part] & 63, s[part + 4] & 63
    else:
        scale = s[part + 4] & 15 | s[part - 4] >> 6 << 4
        low = s[part + 4] >> 4 | s[part] >> 6 << 4
    number = int(nibbles[part // 2 * 32 + inside]) >> 4 * (part % 2) & 15
    return d * scale * (number + 16 * fifth) - least * low


def q5_k(block, place):
    """The same with a fifth bit of each number in 32 bytes between."""
    return q4_k(block, place, int(block[16 + place % 32]) >> place // 32 & 1)


def q6_k(block, place):
    """128 bytes of low nibbles, 64 of two high bits, 16 scales of 8 bits, d."""
    half, rest = divmod(place, 128)
    part, inside = divmod(rest, 32)
    low = int(block[64 * half + 32 * (part % 2) + inside]) >> 4 * (part // 2) & 15
    high = int(block[128 + 32 * half + inside]) >> 2 * part & 3
    scale = int(block[192:208].view(np.int8)[8 * half + 2 * part + inside // 16])
    return float(block[208:].view(np.float16)[0]) * scale * ((low | high << 4) - 32)


@pytest.mark.parametrize(("sort", "weight"), [("Q4_K", q4_k), ("Q5_K", q5_k), ("Q6_K", q6_k)])
def test_blocks_of_256_weights(sort, weight, tmp_path):
    """By the layout of ggml's structures, weight by weight."""
    size = gguf.GGML_QUANT_SIZES[TYPES[sort]][1]
    blocks = np.random.default_rng(1).integers(0, 256, (24, size), dtype=np.uint8)
    scales = slice(208, 210) if sort == "Q6_K" else slice(0, 4)
    count = (scales.stop - scales.start) // 2
    blocks[:, scales] = np.tile(np.array([0.01, 0.02][:count], np.float16).view(np.uint8), (24, 1))
    path = quantised_file(tmp_path / "model.gguf", blocks, TYPES[sort])
    expected = [[weight(block, place) for place in range(256)] for block in blocks]
    np.testing.assert_allclose(up(path), expected, rtol=1e-5, atol=1e-5)


def trained():
    """A byte-level BPE, with the words and merges of it."""
    inner = byte_level(TEXTS)
    parts = json.loads(inner.to_str())["model"]
    return inner, sorted(parts["vocab"], key=parts["vocab"].get), [" ".join(pair) for pair in parts["merges"]]


def tokenizer_file(path, pre="gpt-2", **changes):
    _, words, merges = trained()
    entries = {
        "model": "gpt2", "pre": pre, "tokens": words, "merges": merges, "bos_token_id": 1, "eos_token_id": 1,
        "token_type": [3 if word in ("<pad>", "</s>") else 1 for word in words],
    } | changes  # fmt: skip
    entries = {f"tokenizer.ggml.{key}": each for key, each in entries.items() if each is not None}
    return written(
        path, metadata(LLAMA | {"num_hidden_layers": 1}) | entries, {"token_embd.weight": np.ones((300, 32))}
    )


def test_a_tokenizer_gives_the_tokens_that_it_was_trained_to_give(tmp_path):
    path, (inner, *_) = tokenizer_file(tmp_path / "model.gguf"), trained()
    tokenizer = Tokenizer(path, arch_of(LLAMA | {"vocab_size": 300}))
    for text in (*TEXTS[:1], "</s>a good</s> film", ""):
        assert tokenizer.encode(text) == tokenizer.encode(text, special=True) == inner.encode(text).ids
        assert tokenizer.decode(tokenizer.encode(text)) == text
    assert tokenizer.encode("</s>") == [1]


@pytest.mark.parametrize(("cut", "numbers"), [
    ("gpt-2", ["66066"]), ("smollm", [*"66066"]), ("qwen2", [*"66066"]), ("llama-bpe", ["660", "66"]),
])  # fmt: skip
def test_how_digits_are_cut(cut, numbers, tmp_path):
    """All merges of the digits are there, so that what is cut is the pre-tokenizer's doing."""
    _, words, merges = trained()
    merges += ["6 6", "66 0", "660 66"]
    tokenizer = Tokenizer(
        tokenizer_file(tmp_path / "model.gguf", cut, tokens=[*words, "66", "660", "66066"], merges=merges)
    )
    assert [tokenizer.decode([number]) for number in tokenizer.encode("66066")] == numbers


def test_qwens_cut_is_that_of_its_older_files(tmp_path):
    inner, *_ = trained()
    inner.model.save(str(tmp_path))
    (tmp_path / "config.json").write_text('{"model_type": "qwen2"}')
    older, file = Tokenizer(tmp_path), Tokenizer(tokenizer_file(tmp_path / "model.gguf", "qwen2"))
    assert file.encode(TEXTS[0]) == older.encode(TEXTS[0])


@pytest.mark.parametrize(("cut", "flag", "first"), [
    ("llama-bpe", None, [1]), ("llama-bpe", False, []), ("gpt-2", None, []), ("gpt-2", True, [1]),
])  # fmt: skip
def test_a_token_before_a_text(cut, flag, first, tmp_path):
    """Where the file says nothing, Llama 3's pre-tokenizer alone comes with one, as in llama.cpp."""
    tokenizer = Tokenizer(tokenizer_file(tmp_path / "model.gguf", cut, add_bos_token=flag))
    assert tokenizer.encode("a film", special=True) == [*first, *tokenizer.encode("a film")]


@pytest.mark.parametrize(("changes", "text"), [
    ({"pre": "mine"}, 'tokenizer.ggml.pre="mine" is not supported; allowed: gpt-2, llama-bpe, qwen2, smollm'),
    ({"pre": None}, "tokenizer.ggml.pre=null is not supported"),
    ({"model": "llama"}, 'tokenizer.ggml.model="llama" is not supported; allowed: gpt2'),
    ({"merges": ["a b c"]}, "the tokenizer is not understood ("),
    ({"merges": ["never there"]}, "the tokenizer is not understood ("),
    ({"bos_token_id": 300, "add_bos_token": True}, "tokenizer.ggml.bos_token_id names no token"),
])  # fmt: skip
def test_a_tokenizer_that_is_not_understood_is_one_line(changes, text, tmp_path):
    path = tokenizer_file(tmp_path / "model.gguf", **changes)
    assert f"{path}: {text}" in the_line(lambda: Tokenizer(path))


@pytest.mark.parametrize(("changes", "text"), [
    ({"attention.head_count": 5}, "2 groups do not divide 5 heads"),
    ({"embedding_length": 2**30}, "hidden_size must be at most"),
    ({"block_count": 2**31}, "llama.block_count=2147483648, and"),
    ({"block_count": "three"}, "llama.block_count='three', and"),
    ({"expert_count": 8}, "llama.expert_count=8 is not supported"),
    ({"rope.scaling.type": "yarn"}, "rope_type=yarn is not supported"),
    ({"rope.dimension_count": 2}, "partial_rotary_factor="),
])  # fmt: skip
def test_metadata_that_are_not_supported_are_one_line(changes, text, tmp_path):
    line = the_line(lambda: load(golden_file(tmp_path / "model.gguf", **changes)))
    assert line.startswith(str(tmp_path / "model.gguf"))
    assert text in line


def header(*parts: bytes, entries: int = 1, arrays: int = 0) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", 3, arrays, entries) + b"".join(parts)


def named(name: str, rest: bytes) -> bytes:
    return struct.pack("<Q", len(name)) + name.encode() + rest


HOSTILE = {
    "empty": b"",
    "another format": b"PK\3\4" * 20,
    "version": b"GGUF" + struct.pack("<IQQ", 99, 0, 0),
    "entries": header(entries=2**60),
    "a string": header(named("general.name", struct.pack("<IQ", 8, 2**50))),
    "an array": header(named("some", struct.pack("<IIQ", 9, 0, 2**60)), b"\0" * 100),
    "arrays in arrays": header(named("some", struct.pack("<IIQ", 9, 9, 1) + struct.pack("<IQ", 9, 1) * 5000)),
    "a shape": header(named("w", struct.pack("<IQQIQ", 2, 2**33, 2**33, 0, 0)), entries=0, arrays=1),
    "dimensions": header(named("w", struct.pack("<I", 500) + b"\1" * 4000), entries=0, arrays=1),
    "a place": header(named("w", struct.pack("<IQIQ", 1, 8, 0, 2**64 - 1)), entries=0, arrays=1),
    "a type": header(named("w", struct.pack("<IQIQ", 1, 8, 999, 0)), entries=0, arrays=1),
    "the other order of bytes": b"GGUF" + struct.pack(">IQQ", 3, 0, 0),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_damaged_files_are_one_line(case, tmp_path):
    path = tmp_path / "model.gguf"
    path.write_bytes(HOSTILE[case])
    for read in (load, Tokenizer):
        assert f"{path}: no GGUF file that is understood; copy it again (" in the_line(functools.partial(read, path))


def test_other_files_are_one_line(tmp_path, monkeypatch):
    path = written(tmp_path / "model.gguf", {}, {"w": np.ones(3, "f4")}, kind="phi3")
    assert 'general.architecture="phi3" is not supported; allowed: bloom, gpt2, gptneox,' in the_line(
        lambda: load(path)
    )
    assert "no such folder" in the_line(lambda: load(tmp_path / "nowhere.gguf"))
    path = golden_file(tmp_path / "model.gguf")
    path.write_bytes(path.read_bytes()[:-200])
    assert "it ends at byte" in the_line(lambda: load(path))
    arrays = arranged(config("llama"), tensors(golden("llama")))
    arrays["blk.0.attn_q.weight"] = arrays["blk.0.attn_q.weight"].reshape(1, -1)  # as many numbers
    path = written(tmp_path / "model.gguf", metadata(config("llama")), arrays)
    assert "q_proj.weight has the shape (1, " in the_line(lambda: load(path))
    path = quantised_file(tmp_path / "model.gguf", np.ones((24, 32), np.int8), TYPES.I8)
    assert "up_proj.weight has the type I8, which is not read" in the_line(lambda: up(path))
    arrays = arranged(config("gpt2"), tensors(golden("gpt2")))
    del arrays["blk.1.ffn_up.weight"]
    path = written(tmp_path / "other.gguf", metadata(config("gpt2")), arrays, "gpt2")
    assert "has no weight h.1.mlp.c_fc.weight" in the_line(lambda: load(path))
    path.write_bytes(b"GGUF")
    monkeypatch.setitem(sys.modules, "gguf", None)
    assert (
        the_line(lambda: load(path))
        == f"{path}: GGUF files need gguf: pip install -e '.[language]' in the lab's folder"
    )
