"""The times of a training step and of answers against the number of documents, one line per retriever."""

from matplotlib.figure import Figure

from analysis.figures import rounds, style
from analysis.results.timing import STEPS
from analysis.tables.select import distinct, table
from experiments.timing.retrieval_cost.results import DOCUMENTS, Timed, by_documents
from lab.runs.directory import RunDirectory

CAPTION = (
    f"Milliseconds against the number of documents, programs timed in turns by one process. {rounds.CAPTION} Left: a "
    "training step of the Transformer, which includes the drawing of its episodes, with their documents and "
    "retrievers. Middle: the retrieval-augmented model's answers to all examples of a batch of given episodes. Right: "
    "the same where the documents of a dot product, which all examples of an episode share, have entered the weights "
    "before."
)
PANELS = {
    Timed.STEP: "a training step",
    Timed.ANSWERS: "answers to a batch",
    Timed.RETRIEVED: "answers after retrieval",
}
RETRIEVERS = {  # label, colour, marker, and how far to the side it is drawn, so that no bar hides another
    "rag_linear": ("linear projection", "#D55E00", "-s", -0.1),
    "rag_dot": ("dot product", "#0072B2", "-o", 0.1),
}


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(1, len(PANELS), width=4.6, height=3.6)
    counts = distinct(table(directory, STEPS), DOCUMENTS)
    for panel, (timed, title) in zip(axes[0], PANELS.items(), strict=True):
        for retriever, (label, color, marker, aside) in RETRIEVERS.items():
            times = [*by_documents(timed, retriever).numbers(directory).values()]
            rounds.line(panel, [count + aside for count in counts], times, fmt=marker, color=color, label=label)
        panel.set(xlabel="documents", ylabel="milliseconds", title=title)
        panel.set_xticks(counts)
        panel.set_ylim(bottom=0)
    style.legend(axes[0, 0])
    return figure
