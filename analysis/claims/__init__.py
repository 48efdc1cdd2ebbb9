"""What the sources assert about their figures, held against what was measured; a file a figure."""

from collections.abc import Mapping

from analysis.claims import fig1, fig2, fig3, fig4, fig5, fig6, rag_retrieve
from lab.config.choices import Figure
from lab.runs.directory import RunDirectory

CLAIMS = {
    Figure.fig1: fig1.CLAIMS,
    Figure.fig2: fig2.CLAIMS,
    Figure.fig3: fig3.CLAIMS,
    Figure.fig4: fig4.CLAIMS,
    Figure.fig5: fig5.CLAIMS,
    Figure.fig6: fig6.CLAIMS,
    Figure.rag_retrieve: rag_retrieve.CLAIMS,
}


def evaluate(figure: Figure, directory: RunDirectory, failed: Mapping[str, str]) -> list[dict]:
    """The verdicts on a figure's claims, from the tables of a sweep; none where nobody locked anything. `failed`:
    {point: why} of those that are not in the tables."""
    return [claim.evaluate(directory, failed) for claim in CLAIMS.get(figure, ())]


def unmeasured(figure: Figure, failed: Mapping[str, str]) -> list[dict]:
    """The claims of a figure of which there is no table at all; `failed`: {point: why}."""
    return [claim.unmeasured(failed) for claim in CLAIMS.get(figure, ())]
