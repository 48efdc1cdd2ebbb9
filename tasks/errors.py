"""The error of data. It is apart from what reads data, as messages of the command line need no NumPy."""


class DataError(Exception):
    """An error in the data that the user can correct. Its message is the one line that the user sees."""
