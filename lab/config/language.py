"""The settings of kinds that measure a language model on labelled texts. No JAX here."""

import functools
import importlib.util
import pathlib
from dataclasses import dataclass, field

from lab.config.base import Base
from lab.config.choices import Dtype
from lab.config.own_code import is_closed
from lab.config.training import number_of_seeds
from lab.errors import ConfigError
from tasks.datasets.files import sha256
from tasks.settings import key, positive
from tasks.texts.settings import Texts

WEIGHTS = ("*.safetensors", "config.json", "tokenizer.json", "vocab.json", "merges.txt", "tokenizer_config.json")
FETCHED = (*WEIGHTS, "model.safetensors.index.json")  # the last says which file of several has an array
EXTRA = "pip install 'icl-gd-lab[language]'"


@dataclass
class Language:
    """The language model: a folder of the user's, or one that the lab trains."""

    path: str = key("", "Folder of a model as the hub lays it out; empty: a small one that the lab trains itself.",
                    not_hashed=True)  # fmt: skip
    dtype: Dtype | None = key(None, "Type of weights and products; null: float32 on processors, bfloat16 else.")
    batch: int = positive(16, "Queries that are scored at a time.")
    download: bool = key(False, "Let lm.path be a repository of the hub, which huggingface_hub fetches once.",
                         not_hashed=True)  # fmt: skip
    revision: str = key("", "Branch, tag or commit of that repository; empty: its main branch.")
    experiment: str = key("language_model", "Experiment that trains the lab's own model and writes its texts.")
    words: list[str] = key([], "Further words of its command line, such as train.steps=300.")
    sha256: list[str] = key([], "Checksums of weights and tokenizer; the run fills them in.")


@dataclass
class ReadsTexts(Base):
    """The keys of every kind that measures a language model on labelled texts."""

    lm: Language = field(default_factory=Language)
    text: Texts = field(default_factory=Texts)
    seeds: int = number_of_seeds(5)  # of sets of demonstrations

    @property
    def maker(self) -> list[str]:
        """The words of the run that trains the lab's own model."""
        return [f"experiment={self.lm.experiment}", *self.lm.words]

    def inputs(self) -> list[list[str]]:
        return [] if self.lm.path else [self.maker]

    def check(self) -> None:
        """Check that a model has texts.

        Raises:
            ConfigError: a folder has none, or the lab's own model shall read others than its own.
            DataError: the settings of the texts do not fit together.
        """
        from tasks.texts.known import OWN
        from tasks.texts.read import form_of

        if self.lm.path and not self.text.path:
            raise ConfigError("text.path is not given: the file or folder of the texts that lm.path is measured on")
        if self.text.path and not self.lm.path:
            raise ConfigError("lm.path is not given: the lab's own model knows the words of its own texts alone")
        if not self.lm.path and self.text.dataset not in ("", *OWN):
            raise ConfigError(f"text.dataset={self.text.dataset}: without lm.path, allowed: {', '.join(OWN)}")
        form_of(self.text)

    def fill_in(self) -> None:
        """Set the checksums of weights, tokenizer and texts."""
        from tasks.texts.read import fill_in

        if not self.lm.path:
            return
        folder = folder_of(self.lm)
        files = sorted({file for pattern in WEIGHTS for file in folder.glob(pattern)})
        self.lm.sha256 = [_digest(str(file), *_state(file)) for file in files]
        fill_in(self.text)


def folder_of(lm: Language) -> pathlib.Path:
    """Return the folder of the model, which is fetched first where that is asked for.

    Raises:
        ConfigError: there is no such folder, or it cannot be fetched.
    """
    folder = pathlib.Path(lm.path).expanduser()
    if folder.is_dir():
        return folder
    if not lm.download:
        hub = "; with lm.download=true it may be a repository of the hub" if lm.path.count("/") < 2 else ""
        raise ConfigError(f"lm.path={lm.path}: no such folder{hub}")
    try:
        from huggingface_hub import snapshot_download
    except ImportError as error:
        raise ConfigError(f"lm.download=true needs huggingface_hub: {EXTRA}") from error
    try:
        return pathlib.Path(
            snapshot_download(
                lm.path,
                revision=lm.revision or None,
                allow_patterns=[*FETCHED],
                local_files_only=is_closed(),  # nothing is fetched for words of others
            )
        )
    except Exception as error:  # of the network or of the hub, by many names
        why = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise ConfigError(f"lm.path={lm.path}: cannot be fetched ({why[:100]})") from error


def _state(file: pathlib.Path) -> tuple[int, int]:
    """Return what changes with a file's contents, so that large files are hashed once per process."""
    state = file.stat()
    return state.st_size, state.st_mtime_ns


@functools.cache
def _digest(file: str, size: int, changed: int) -> str:
    return sha256(pathlib.Path(file))


def require_extra() -> None:
    """Refuse a language model without the packages that read and write it.

    Raises:
        ConfigError: one of them is not installed.
    """
    for name in ("safetensors", "tokenizers"):
        if importlib.util.find_spec(name) is None:
            raise ConfigError(f"language models need {name}: {EXTRA}")
