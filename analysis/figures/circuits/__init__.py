"""Pictures of a trained Transformer's circuits: one file per figure, drawn from `circuits.npz` and tables alone."""

from lab.runs.directory import RunDirectory


def _figures(directory: RunDirectory) -> dict:
    """{name of a figure's file: its module}, of those that the directory has the numbers of. A module has a `CAPTION`
    and draws by `draw(directory)`."""
    from analysis.figures.circuits import attention, layers, linear_path, matrices

    needs = {"weights": (matrices, attention), "linear_path": (linear_path,), "predictions": (layers,)}
    if not directory.has_arrays("circuits"):
        return {}
    return {
        f"circuits_{module.__name__.rsplit('.', 1)[-1]}": module
        for table, modules in needs.items()
        if directory.has_table(table)
        for module in modules
    }


def draw(directory: RunDirectory) -> None:
    """Draw all of them that there are numbers for."""
    from analysis.figures import style

    for name, module in _figures(directory).items():
        style.draw_as(name, module.draw, directory)


def captions(directory: RunDirectory) -> dict[str, str]:
    """{name of a figure's file: what it shows, in words}."""
    return {name: module.CAPTION for name, module in _figures(directory).items()}
