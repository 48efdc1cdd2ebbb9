"""Sizes of kinds that measure a language model on labelled texts, from its configuration and the texts. No JAX."""

from typing import Any

from lab.config import work
from lab.config.compose import compose
from lab.config.language import Language, ReadsTexts, folder_of
from lab.config.sizes import Sizes, Unknown
from lab.config.small_language import SmallModel
from lab.errors import UserError
from lab.language.families import arch_of
from lab.language.files import read_json
from tasks.errors import DataError
from tasks.texts.read import read
from tasks.texts.settings import Texts
from tasks.texts.words import PER_EXAMPLE, WORDS

LETTERS = 4  # of a token, about
ANSWER = 2  # tokens of a row whose logits are computed
OWN_ROWS, OWN_EXAMPLES = 400, 4  # test rows of the lab's own texts, and demonstrations of a set
START = 25.0  # seconds of reading, compiling and drawing


def sizes_of_texts(
    settings: ReadsTexts, readings: int, validation: int, doing: str, backward: int = 1, scores: bool = True
) -> Sizes:
    """Return the sizes of a run, beyond those of the training of the lab's own model.

    Args:
        readings: how often the test rows are scored behind each set of demonstrations.
        validation: further rows that are scored as often.
        doing: the name of the work.
        backward: passes that one reading of the demonstrations is worth.
        scores: whether rows are scored at all.

    Raises:
        Unknown: the folder or the texts cannot be read; opening them says why.
    """
    layers, width, heads, mlp, vocabulary = shape_of(settings.lm, settings.maker)
    blocks, words = layers * (4 * width**2 + 3 * width * mlp), vocabulary * width
    rows, query, context = tokens_of(settings)
    scored = query * (blocks + 2 * layers * width * (context + query)) + ANSWER * words
    scored *= scores * (rows + validation)
    read_again = backward * context * (blocks + (backward > 1) * words + 4 * layers * width * context)
    batch = query * (work.ARRAYS * width + 2 * mlp + heads * (context + query) + vocabulary)
    history = 8 * layers * width * context * work.FLOAT
    return Sizes(
        memory={
            "the weights": work.FLOAT * (blocks + 2 * words),
            "the queries that are scored at a time": scores * settings.lm.batch * work.FLOAT * batch,
            "the demonstrations": history + work.FLOAT * context * (work.ARRAYS * width + heads * 2 * context),
        },
        operations={doing: settings.seeds * readings * (scored + read_again)},
        silent={doing: scored + read_again},
        seconds=START,
    )


def shape_of(lm: Language, maker: list[str]) -> tuple[float, float, float, float, float]:
    """Return layers, width, heads, width of the MLP, and words of a model."""
    if not lm.path:
        model: Any = getattr(compose(maker), "model", None)
        if not isinstance(model, SmallModel):
            raise Unknown
        return model.num_layers, model.width, model.num_heads, model.mlp_width, len(WORDS)
    try:
        arch = arch_of(read_json(folder_of(lm) / "config.json"))
    except UserError as error:
        raise Unknown from error
    return arch.layers, arch.width, arch.heads, arch.mlp_width, arch.vocabulary


def tokens_of(settings: ReadsTexts) -> tuple[float, float, float]:
    """Return how many rows are scored, the tokens of a query with its answer, and those of a set of demonstrations."""
    text = settings.text
    if not settings.lm.path:
        count = 2 * text.examples or OWN_EXAMPLES
        return min(text.test or OWN_ROWS, OWN_ROWS), PER_EXAMPLE, count * PER_EXAMPLE
    try:
        rows, letters, of_one, count = _measured(repr(text), text)
    except DataError as error:
        raise Unknown from error
    return rows, letters / LETTERS + 2, count * of_one / LETTERS


_CACHE: dict[str, tuple[float, float, float, float]] = {}


def _measured(name: str, text: Texts) -> tuple[float, float, float, float]:
    """Return the number of test rows, letters of one, letters of a demonstration, and demonstrations of a set."""
    if name not in _CACHE:
        labelled = read(text)
        letters = [len(item.prompt) + max(map(len, item.answers)) for item in labelled.test]
        of_items = [len(item.shown) for item in labelled.train[:1000]]
        classes = max(len(labelled.words), 1) if labelled.form.draw.value == "per_class" else 1
        _CACHE[name] = (
            len(letters), sum(letters) / max(len(letters), 1), sum(of_items) / max(len(of_items), 1),
            classes * labelled.form.examples,
        )  # fmt: skip
    return _CACHE[name]
