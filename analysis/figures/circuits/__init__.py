"""Pictures of a trained Transformer's circuits: one file per figure, drawn from `circuits.npz` and tables alone.
Nothing here computes a circuit (`analysis.metrics`)."""

from analysis.tables.columns import Table
from lab.runs.directory import RunDirectory


def _figures(directory: RunDirectory) -> dict:
    """Return {name of a figure's file: its module} of the figures that the directory has numbers for.

    A module has a `CAPTION` and a function `draw(directory)`.
    """
    from analysis.figures.circuits import attention, layers, linear_path, matrices

    needs = {
        Table.WEIGHTS: (matrices, attention),
        Table.LINEAR_PATH: (linear_path,),
        Table.PREDICTIONS: (layers,),
    }
    if not directory.has_arrays("circuits"):
        return {}
    return {
        f"circuits_{module.__name__.rsplit('.', 1)[-1]}": module
        for table, modules in needs.items()
        if directory.has_table(table)
        for module in modules
    }


def draw(directory: RunDirectory) -> None:
    """Draw all pictures of circuits that the directory has numbers for."""
    from analysis.figures import style

    for name, module in _figures(directory).items():
        style.draw_as(name, module.draw, directory)


def captions(directory: RunDirectory) -> dict[str, str]:
    """Return {name of a figure's file: its caption} of the pictures of circuits that the directory has numbers for."""
    return {name: module.CAPTION for name, module in _figures(directory).items()}
