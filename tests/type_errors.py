"""Part of `make lint`: the number of errors that pyright reports in tests/ may only become smaller.

python -m tests.type_errors
"""

import json
import pathlib
import subprocess
import sys

LIMIT = 440  # errors today; to be lowered with every error that is mended


def main() -> int:
    """Compare the number of errors with the limit, and return the exit status."""
    pyright = pathlib.Path(sys.executable).with_name("pyright")
    # without --project a configuration in a folder above the repository would come first
    command = [str(pyright), "--project", "pyproject.toml", "--pythonpath", sys.executable, "--outputjson", "tests"]
    answer = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=False).stdout)
    count = answer["summary"]["errorCount"]
    if count > LIMIT:
        print(f"tests/: {count} errors of types, and {LIMIT} are the limit; see them: pyright -p pyproject.toml tests")
    elif count < LIMIT:
        print(f"tests/: {count} errors of types are left; lower LIMIT of tests/type_errors.py from {LIMIT} to {count}")
    return int(count > LIMIT)  # fewer may be due to an optional package that is not installed


if __name__ == "__main__":
    sys.exit(main())
