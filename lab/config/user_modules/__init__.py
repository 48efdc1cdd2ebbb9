"""Files of the user's own become modules of this package: `use=my_tasks.py` is `lab.config.user_modules.my_tasks`.

A launcher sends objects to processes that have not read a command line yet. They find the classes of these objects by
the names of their modules, in the folders that an environment variable lists.
"""

import os

FOLDERS = "LAB_OWN_CODE"  # the environment variable

__path__ += filter(None, os.environ.get(FOLDERS, "").split(os.pathsep))


def add_folder(folder: str) -> None:
    """Let this process, and those that it starts, import the files of a folder."""
    if folder not in __path__:
        __path__.append(folder)
        os.environ[FOLDERS] = os.pathsep.join(filter(None, [os.environ.get(FOLDERS, ""), folder]))
