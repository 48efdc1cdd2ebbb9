"""Calories burnt: 15,000 exercise sessions with seven measurements; the target is the calories burnt.

Kaggle, "fmendes-DAT263x-demos" by F. Fernandez (2018). Its origin could not be established; it may be simulated.
"""

import dataclasses

from tasks.datasets.cells import from_cells, read_cells
from tasks.datasets.files import PublishedFile, locate
from tasks.datasets.settings import Calories
from tasks.datasets.table import Table


def _file(name: str, sha256: str) -> PublishedFile:
    return PublishedFile("calories", name, sha256, page="https://www.kaggle.com/datasets/fmendes/fmendesdat263xdemos")


SESSIONS = _file("exercise.csv", "06474179d32aba1f941bc528765886d44f424fbd39e56697cd6f4c5f67d46a56")
BURNT = _file("calories.csv", "aaae7b1c1502cab499ef7b68ddc118d13596b47855968a142a6db1424eba13c9")
GENDERS = {"male": "0", "female": "1"}


def read(settings: Calories) -> Table:
    """Read the two files and join them by User_ID, which is left out; Gender becomes 0 (male) or 1 (female)."""
    sessions, burnt = (read_cells(locate(file, settings.dir)) for file in (SESSIONS, BURNT))
    by_user = dict(zip(burnt["User_ID"], burnt["Calories"], strict=True))
    sessions["Gender"] = [GENDERS[gender] for gender in sessions["Gender"]]
    sessions["Calories"] = [by_user[user] for user in sessions["User_ID"]]
    table = from_cells(sessions, "Calories", leave_out=("User_ID",))
    return dataclasses.replace(table, notes=("Gender is coded 0 (male) and 1 (female)",))
