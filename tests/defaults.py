"""Another version of the lab, in which a setting has another default."""

import contextlib
from collections.abc import Iterator
from unittest import mock

from hydra.core.config_store import ConfigStore

from lab.config import compose, kinds


@contextlib.contextmanager
def changed_default(schema: type, **fields: object) -> Iterator[None]:
    """Let fields of a dataclass have other defaults: in the class, in its `__init__`, and in what Hydra has stored."""
    with contextlib.ExitStack() as stack:
        names = [name for name, field in schema.__dataclass_fields__.items() if field.init]
        first = len(names) - len(schema.__init__.__defaults__)
        defaults = dict(zip(names[first:], schema.__init__.__defaults__, strict=True)) | fields
        stack.enter_context(mock.patch.object(schema.__init__, "__defaults__", tuple(defaults.values())))
        for name, value in fields.items():
            stack.enter_context(mock.patch.object(schema.__dataclass_fields__[name], "default", value))
            stack.enter_context(mock.patch.object(schema, name, value))
        _forget()
        try:
            yield
        finally:
            stack.close()
            _forget()


def _forget() -> None:
    """Compose everything anew, by what the classes say now."""
    stored = ConfigStore.instance().repo
    for group in ("kind", "schema", *kinds.SCHEMAS):
        stored.pop(group, None)
    compose._composed_once.cache_clear()
    compose._typed_once.cache_clear()
    compose.register()
