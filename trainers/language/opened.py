"""The language model and the texts of a run: the user's own, or those made by a run of the lab."""

import dataclasses
import functools
import json
import pathlib

import jax

from lab.config.choices import Dtype
from lab.config.compose import compose_run, input_words
from lab.config.language import ReadsModel, ReadsTexts, folder_of, require_extra
from lab.config.small_language import KeepsModel
from lab.errors import ConfigError, UserError
from lab.language.model import LanguageModel
from lab.language.tokens import Tokenizer
from lab.language.weights import Note, load
from lab.runs.directory import RunDirectory
from tasks.texts.form import Form
from tasks.texts.known import OWN
from tasks.texts.read import Labelled, form_of, read
from tasks.texts.settings import Texts
from trainers import load_pretrained
from trainers.language.small import MODEL
from trainers.record import Record

CERTAIN = 6  # standard deviations of how many rows are left, each of which is at most the root of their number
END = "{end}"  # in a separator: the model's token for the end of a text


@dataclasses.dataclass(frozen=True)
class Opened:
    """A language model with its tokenizer, and the texts that it is measured on."""

    model: LanguageModel
    tokenizer: Tokenizer
    texts: Labelled
    folder: pathlib.Path

    @functools.cached_property
    def separator(self) -> str:
        """The text behind each demonstration.

        Raises:
            ConfigError: it has the model's token for the end of a text, and the model names none.
        """
        text = self.texts.form.separator
        return text.replace(END, self._end()) if END in text else text

    def _end(self) -> str:
        number = json.loads(self.model.arch.config).get("eos_token_id")
        number = number[0] if isinstance(number, list) and number else number
        token = self.tokenizer.inner.id_to_token(number) if _is_token(number, self.model) else None
        if token is None or self.tokenizer.encode(token) != [number]:
            raise ConfigError(f"text.separator={END}: the model names no token for the end of a text; give another")
        return token


def _is_token(number: object, model: LanguageModel) -> bool:
    return isinstance(number, int) and 0 <= number < model.arch.vocabulary


def check_model(settings: ReadsModel, kind: str) -> KeepsModel | None:
    """Return the settings of the run that makes the lab's own model, or None for a model of the user's.

    Raises:
        ConfigError: the extra is not installed; or the run keeps no model of this kind.
    """
    require_extra()
    if settings.lm.path:
        return None
    maker = compose_run(settings.maker)
    if not (load_pretrained.keeps(maker, kind) and isinstance(maker, KeepsModel)):
        raise ConfigError(f"lm.experiment={settings.lm.experiment}: it keeps no language model; a run of {kind} does")
    return maker


def check(settings: ReadsTexts, kind: str, word: str = "", sets: int = 1, further: int = 0) -> None:
    """Refuse what would fail after the lab's own model has been trained.

    Args:
        kind: whose runs keep one.
        word: of the command line, that asks for `sets` of demonstrations and for `further` rows that are in none.

    Raises:
        ConfigError: the extra is not installed; or the run to start from keeps no model, or too few texts.
    """
    if (maker := check_model(settings, kind)) is None:
        return
    fewest = min(own_form(settings.text).examples, maker.rows)  # demonstrations of a set
    left = maker.rows * (1 - fewest / maker.rows) ** sets  # on average, as each set is drawn from all rows
    if left + CERTAIN * (sets > 1) * left**0.5 < further:
        raise ConfigError(
            f"{word}: {left:.0f} of the {maker.rows} rows of experiment={settings.lm.experiment} are left beside the "
            f"demonstrations, and {further} are needed"
        )


def own_form(text: Texts) -> Form:
    """Return the form of the texts that the lab writes for its own model."""
    return form_of(dataclasses.replace(text, dataset=text.dataset or next(iter(OWN))))


def opened(record: Record, text: Texts | None = None) -> Opened:
    """Return the model and the texts of a record, whose settings are `ReadsTexts`; the record notes their remarks.

    Args:
        text: the texts to read; None: those that the settings name.

    Raises:
        UserError, DataError: a folder or a file is not there, is damaged, or does not fit the settings.
    """
    settings = record.settings
    assert isinstance(settings, ReadsTexts)
    text = text or settings.text
    folder, texts = place_of(settings), text
    if not settings.lm.path:
        own = text.dataset or next(iter(OWN))
        texts = dataclasses.replace(text, dataset=own, path=str(folder.parent), sha256=[])
    labelled = read(texts)
    result = Opened(*open_model(folder, settings.lm.dtype, record.note), labelled, folder)
    for line in result.texts.notes:
        record.note(line)
    return result


def place_of(settings: ReadsModel) -> pathlib.Path:
    """Return the folder or the file of the model.

    Raises:
        UserError, DataError: it is not there, or the run that makes it keeps none.
    """
    if settings.lm.path:
        return folder_of(settings.lm)
    place = RunDirectory.of(compose_run(input_words(settings.maker, settings)))
    if not place.done or not (place.path / MODEL).is_dir():
        raise UserError(f"{place.path}: no run that keeps a language model; lm.experiment names one that does")
    return place.path / MODEL


def open_model(
    folder: pathlib.Path, dtype: Dtype | None = None, note: Note = lambda line: None
) -> tuple[LanguageModel, Tokenizer]:
    """Return a folder's model and its tokenizer.

    Args:
        dtype: of its weights; None: float32 on processors, and bfloat16 on accelerators.
        note: takes remarks on the weights.
    """
    default = Dtype.float32 if jax.default_backend() == "cpu" else Dtype.bfloat16
    model = load(folder, (dtype or default).value, note=note)
    return model, Tokenizer(folder, model.arch)
