"""Another version of the lab, in which a setting has another default."""

import contextlib
from collections.abc import Iterator
from unittest import mock


@contextlib.contextmanager
def changed_default(schema: type, **fields: object) -> Iterator[None]:
    """Let fields of a dataclass have other defaults: in the class, and in its `__init__`."""
    with contextlib.ExitStack() as stack:
        names = [name for name, field in schema.__dataclass_fields__.items() if field.init]
        first = len(names) - len(schema.__init__.__defaults__)
        defaults = dict(zip(names[first:], schema.__init__.__defaults__, strict=True)) | fields
        stack.enter_context(mock.patch.object(schema.__init__, "__defaults__", tuple(defaults.values())))
        for name, value in fields.items():
            stack.enter_context(mock.patch.object(schema.__dataclass_fields__[name], "default", value))
            stack.enter_context(mock.patch.object(schema, name, value))
        yield
