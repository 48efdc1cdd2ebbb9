"""Part of `make lint`: words that make code and docstrings hard to read for a new colleague.

    python -m tests.english [PATH ...]

prints one line per place, and exits with 1 where there is any. It refuses

- docstrings whose first word makes a fragment of the first sentence ("What ...", "Of ...", "Whether ...");
- variables and arguments that are called by a preposition or a participle (`of`, `found`, `told`);
- "a row a point" for "one row per point".

Without a PATH it reads the product alone. A test's docstring may continue the sentence that its name begins.
"""

import ast
import pathlib
import re
import sys
from collections.abc import Iterator

ROOTS = ("run.py", "experiments", "trainers", "analysis", "lab", "tasks")
FRAGMENTS = set("What Of How Whether Which Where Why Who That Those With In Into At So From As For To".split())
PREPOSITIONS = set(
    "about above across after against along among around at before behind below beneath beside between beyond by "
    "during for from in inside near of off on onto over per since through till to toward under until up upon via "
    "with within without".split()
)
KEYS = ("until",)  # fields that are keys of the command line and read as one phrase with their value: train.until=flat
PARTICIPLES = set("asked drawn found given kept known made said seen shown taken told".split())
PER = re.compile(r"\ba (row|file|line|column|panel|page|program|run|table|key|number|step|folder)s? an? [a-z]+")


def problems(path: pathlib.Path) -> Iterator[str]:
    """Yield one line per place of a Python file that the lint refuses, as `FILE:LINE: why`."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    fields = {name for name in KEYS if path.parts[-2:] == ("config", "training.py")}
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            first = (ast.get_docstring(node) or "").split(maxsplit=1)[:1]
            if first and first[0] in FRAGMENTS:
                line = node.body[0].lineno
                yield f"{path}:{line}: the docstring begins with {first[0]!r}; begin with a whole sentence"
        for name, line in _names(node):
            if name in (PREPOSITIONS | PARTICIPLES) - fields:
                yield f"{path}:{line}: a variable is called {name!r}; name the thing"
    for number, line in enumerate(text.splitlines(), start=1):
        if match := PER.search(line):
            yield f"{path}:{number}: {match[0]!r}; say 'one {match[1]} per ...'"


def _names(node: ast.AST) -> Iterator[tuple[str, int]]:
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id, node.lineno
    if isinstance(node, ast.arg):
        yield node.arg, node.lineno


def main(places: list[str]) -> int:
    """Print all problems below the given files and folders, and return the exit status."""
    roots = [pathlib.Path(place) for place in places or ROOTS]
    files = [file for root in roots for file in ([root] if root.is_file() else sorted(root.rglob("*.py")))]
    lines = [line for file in files if file.name != "english.py" for line in problems(file)]
    print(*lines, sep="\n", end="\n" if lines else "")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
