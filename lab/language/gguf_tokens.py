"""The tokenizer of a GGUF file: a byte-level BPE (Radford et al. 2019), and how it cuts texts into words, by name."""

from typing import Any

from lab.errors import UserError
from lab.language.arch import shown
from lab.language.gguf_file import Gguf
from lab.language.older_tokens import QWEN2

LLAMA3 = (  # up to three digits are a word
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|"
    r"\s+(?!\S)|\s+"
)
WORDS = {"gpt-2": None, "llama-bpe": LLAMA3, "qwen2": QWEN2, "smollm": None}  # a pre-tokenizer; None: GPT-2's own
CONTROL, USER_DEFINED = 3, 4  # types of tokens
SPECIAL = {"bos_token": "bos", "eos_token": "eos", "unk_token": "unknown", "pad_token": "padding"}


def tokenizer(file: Gguf) -> tuple[Any, dict[str, Any]]:
    """Return the object `tokenizers.Tokenizer`, and special tokens by their names in a folder's settings.

    Raises:
        UserError: the tokenizer is no byte-level BPE, or cuts texts into words in a way that is not known.
    """
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    kind, cut = file.value("tokenizer.ggml.model"), file.value("tokenizer.ggml.pre")
    for key, entry, allowed in (("model", kind, ["gpt2"]), ("pre", cut, [*WORDS])):
        if entry not in allowed:
            names = ", ".join(allowed)
            raise UserError(f"{file.path}: tokenizer.ggml.{key}={shown(entry)} is not supported; allowed: {names}")
    tokens, types = file.value("tokenizer.ggml.tokens"), file.value("tokenizer.ggml.token_type", [])
    merges = [tuple(pair.split(" ")) for pair in file.value("tokenizer.ggml.merges")]
    numbers = {token: number for number, token in enumerate(tokens)}
    inner = Tokenizer(models.BPE(numbers, merges, ignore_merges=cut == "llama-bpe"))
    steps: list[Any] = [pre_tokenizers.Split(Regex(WORDS[cut]), "isolated")] if WORDS[cut] else []
    steps += [pre_tokenizers.Digits(individual_digits=True)] if cut == "smollm" else []
    level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=WORDS[cut] is None)
    inner.pre_tokenizer, inner.decoder = pre_tokenizers.Sequence([*steps, level]), decoders.ByteLevel()
    if cut == "qwen2":
        inner.normalizer = normalizers.NFC()
    for special, wanted in ((True, CONTROL), (False, USER_DEFINED)):
        chosen = [token for token, kind in zip(tokens, types, strict=False) if kind == wanted]
        inner.add_tokens([AddedToken(token, special=special, normalized=False) for token in chosen])
    ids = {name: file.value(f"tokenizer.ggml.{key}_token_id") for name, key in SPECIAL.items()}
    named = {name: tokens[number] for name, number in ids.items() if number is not None and 0 <= number < len(tokens)}
    if file.value("tokenizer.ggml.add_bos_token", cut == "llama-bpe"):
        if (start := named.get("bos_token")) is None:
            raise UserError(f"{file.path}: tokenizer.ggml.bos_token_id names no token")
        both = {"single": [start, "$A"], "special_tokens": [(start, ids["bos_token"])]}
        inner.post_processor = processors.TemplateProcessing(**both)
    return inner, named
