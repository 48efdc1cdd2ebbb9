"""Part of `make lint`: pyright finds no error in the packages, and in tests/ no more than there were.

python -m tests.type_errors
"""

import json
import pathlib
import subprocess
import sys
import tomllib

LIMIT = 450  # errors in tests/ today; fewer may be due to an optional package that is not installed


def main() -> int:
    """Print the errors in the packages, compare the number of errors in tests/ with the limit, and return the exit
    status."""
    pyright = pathlib.Path(sys.executable).with_name("pyright")
    with open("pyproject.toml", "rb") as file:
        packages = tomllib.load(file)["tool"]["pyright"]["include"]
    places = [*packages, "tests"]  # in one go: imports are read once
    # without --project a configuration in a folder above the repository would come first
    command = [str(pyright), "--project", "pyproject.toml", "--pythonpath", sys.executable, "--outputjson", *places]
    answer = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=False).stdout)
    here = pathlib.Path.cwd()
    errors = [each for each in answer["generalDiagnostics"] if each["severity"] == "error"]
    of_tests = [each for each in errors if pathlib.Path(each["file"]).is_relative_to(here / "tests")]
    for each in errors if len(of_tests) > LIMIT else [each for each in errors if each not in of_tests]:
        print(f"{each['file']}:{each['range']['start']['line'] + 1}: {each['message']}")
    print(f"types: {len(errors) - len(of_tests)} errors; in tests/ {len(of_tests)}, and {LIMIT} are the limit")
    return int(len(errors) > len(of_tests) or len(of_tests) > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
