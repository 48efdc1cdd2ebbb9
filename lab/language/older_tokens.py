"""A tokenizer of the older form: `vocab.json` and `merges.txt`, a byte-level BPE (Radford et al. 2019).

What a `tokenizer.json` would say stands in other files, or nowhere: `tokenizer_config.json`, `special_tokens_map.json`,
`added_tokens.json`, and the program of each class of tokenizers, as in `transformers`.
"""

import pathlib
from typing import Any

from lab.config.language import ADDED, SPECIAL, TOKENIZER, check_file
from lab.errors import UserError, printable, short
from lab.language.files import read_json

END = "<|endoftext|>"
NAMED = ("bos_token", "eos_token", "unk_token", "pad_token", "sep_token", "cls_token", "mask_token")
KINDS = {  # a class: its special tokens where the settings name none
    "GPT2Tokenizer": dict.fromkeys(("bos_token", "eos_token", "unk_token"), END),
    "GPTNeoXTokenizer": dict.fromkeys(("bos_token", "eos_token", "unk_token"), END) | {"pad_token": "<|padding|>"},
    "Qwen2Tokenizer": dict.fromkeys(("eos_token", "unk_token", "pad_token"), END),
}
OF_MODEL = {"gpt_neox": "GPTNeoXTokenizer", "qwen2": "Qwen2Tokenizer", "qwen3": "Qwen2Tokenizer"}  # others: GPT-2's
OF_MODEL |= dict.fromkeys(("bloom", "llama", "mistral"), "null")
QWEN2 = (  # each digit is a word of its own
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def read(folder: pathlib.Path, settings: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the object `tokenizers.Tokenizer` of a folder, and its special tokens by their names in the settings.

    Args:
        settings: the contents of `tokenizer_config.json`.

    Raises:
        UserError: a file is missing, the lab does not know the tokenizer's class, or a token has another number than
            the files say.
    """
    from tokenizers import Tokenizer, models, processors

    words, merges = folder / "vocab.json", folder / "merges.txt"
    if not (words.exists() and merges.exists()):
        raise UserError(f"{printable(str(folder))}: has no {TOKENIZER}, and no {words.name} with {merges.name}")
    for path in (words, merges):
        check_file(path)
    kind, listed = _kind(folder, settings), _listed(folder, settings)
    if "added_tokens_decoder" not in settings and (folder / SPECIAL).exists():
        settings = settings | read_json(folder / SPECIAL)
    inner = Tokenizer(models.BPE.from_file(str(words), str(merges)))
    _split(inner, kind, settings.get("add_prefix_space") is True)
    special = {name: word for name, word in KINDS[kind].items() if inner.token_to_id(word) is not None}
    special |= {name: settings[name] for name in NAMED if name in settings}
    names = [*special.values(), *_list(settings, "additional_special_tokens"), *_list(settings, "extra_special_tokens")]
    _add(inner, listed, [each for each in names if each], folder)
    start = content(special.get("bos_token"))
    number = None if start is None else inner.token_to_id(start)
    if settings.get("add_bos_token") is True and number is not None:
        inner.post_processor = processors.TemplateProcessing(single=[start, "$A"], special_tokens=[(start, number)])
    return inner, special


def content(token: Any) -> str | None:
    """Return the text of a token of the settings, which is a text or an object that has one."""
    token = token.get("content") if isinstance(token, dict) else token
    return token if isinstance(token, str) and token else None


def _kind(folder: pathlib.Path, settings: dict[str, Any]) -> str:
    """Return the class of a tokenizer, a key of KINDS."""
    config = read_json(folder / "config.json") if (folder / "config.json").exists() else {}
    model = str(config.get("model_type"))
    of_model = OF_MODEL.get(model, "GPT2Tokenizer")
    if model == "qwen2":  # whatever the settings say, which is wrong in many folders
        return of_model
    named = str(settings.get("tokenizer_class") or config.get("tokenizer_class") or of_model)
    if (kind := named.removesuffix("Fast")) not in KINDS:
        allowed = ", ".join(KINDS)
        raise UserError(
            f"{folder}: tokenizer_class={short(printable(named))} is not supported without {TOKENIZER}, which "
            f"`transformers` writes (AutoTokenizer.from_pretrained, save_pretrained); allowed: {allowed}"
        )
    return kind


def _split(inner: Any, kind: str, prefix: bool) -> None:
    """Set how a text is cut into words, before merges."""
    from tokenizers import Regex, decoders, normalizers, pre_tokenizers

    inner.decoder = decoders.ByteLevel()
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix, use_regex=kind != "Qwen2Tokenizer")
    if kind == "Qwen2Tokenizer":
        cut = pre_tokenizers.Split(Regex(QWEN2), "isolated")
        inner.pre_tokenizer = pre_tokenizers.Sequence([cut, inner.pre_tokenizer])
    if kind != "GPT2Tokenizer":
        inner.normalizer = normalizers.NFC()


def _listed(folder: pathlib.Path, settings: dict[str, Any]) -> dict[int, Any]:
    """Return the tokens beyond the vocabulary, by number: those of the settings, or else of a file of their own."""
    if "added_tokens_decoder" in settings:
        return {int(number): token for number, token in settings["added_tokens_decoder"].items()}
    added = read_json(folder / ADDED) if (folder / ADDED).exists() else {}
    return {int(number): token for token, number in added.items()}


def _list(settings: dict[str, Any], name: str) -> list[Any]:
    tokens = settings.get(name) or []
    return [*(tokens.values() if isinstance(tokens, dict) else tokens)]


def _add(inner: Any, listed: dict[int, Any], special: list[Any], folder: pathlib.Path) -> None:
    """Let the names of some tokens be one token each.

    Args:
        listed: tokens by their numbers, in the order of which they join the vocabulary.
        special: others, as the settings name them.
    """
    names, of_list = {*map(content, special)}, {*map(content, listed.values())}
    for number, token in sorted(listed.items()):
        name = content(token) or ""
        is_special = name in names or (isinstance(token, dict) and token.get("special") is True)
        inner.add_tokens([_token(token, is_special)])
        if (there := inner.token_to_id(name)) != number:
            raise UserError(
                f"{folder}: the token {short(repr(name))} has the number {number}, and {there} in the vocabulary"
            )
    inner.add_special_tokens([_token(each, True) for each in special if content(each) not in of_list])


def _token(token: Any, special: bool) -> Any:
    from tokenizers import AddedToken

    switches = ("lstrip", "rstrip", "single_word", "normalized")
    chosen = {name: token[name] is True for name in switches if name in token} if isinstance(token, dict) else {}
    return AddedToken(content(token) or "", **{"normalized": not special, "special": special} | chosen)
