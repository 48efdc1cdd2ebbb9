"""The results of `attention_ladder`: columns, and claims judged over seeds, of decoders that learn in context."""

from analysis.figures.cited import Work, own, said
from analysis.figures.controls import Control
from analysis.results.column import Column
from analysis.results.declared import claim
from analysis.results.quantity import Every, Quantity

RUNGS = "rungs"  # the table with one row per decoder and rung; every query sees all examples
LAYERS = "layers"  # the table with one row per decoder, rung and layer
SEED, RUNG, LAYER = "seed", "rung", "layer"  # their first columns; `rungs.rungs` names rungs, layers are from 1 on
accuracy = Column(RUNGS, "accuracy", "accuracy", "Share of test queries answered right with this attention.", RUNG)
lost = Column(RUNGS, "lost", "accuracy lost", "Accuracy with softmax minus accuracy with this attention.", RUNG)
agreement = Column(RUNGS, "agreement", "agreement", "Share of test queries that get the class of softmax.", RUNG)
learned = Column(RUNGS, "learned", "accuracy in context - zero-shot", "Gain by the examples, with softmax.", RUNG)
similarity = Column(LAYERS, "similarity", "cosine of the updates",
                    "Cosine of what the examples change in attention's output, with softmax and with this attention.",
                    RUNG)  # fmt: skip

HEADLINES = (accuracy, agreement)
ANSWER = (
    "with softmax the decoder is right in {accuracy.softmax} of queries, and with linear attention in its place in "
    "{accuracy.linear}",
    "linear attention divided by the number of tokens gives {accuracy.linear, divided by n}",
    "Taylor weights give {accuracy.Taylor, degree *}",
)

MEAN, TAYLOR = "linear, divided by n", "Taylor, degree *"
DAI_LINEAR = "derived here from attention without its softmax of Dai et al."
REMAINDER = "derived here: Lagrange's remainder is small where scores are, and falls with the degree beyond the largest"


def alike(lost: Quantity, agreement: Quantity) -> Every:
    """Return the bounds of answers that count as those of the decoder itself."""
    return lost.within(0.01) & (agreement > 0.95)


CONTROLS = (Control("the decoders learn in context", learned["softmax"] > 0),)
CLAIMS = (
    claim(
        "Without its softmax a trained decoder answers as it does with it.",
        own(DAI_LINEAR),
        alike(lost["linear"], agreement["linear"]) & alike(lost[MEAN], agreement[MEAN]),
        "not divided, or divided by the number of tokens; Dai et al. drop the softmax to read the formula, and assert "
        "nothing of such a decoder",
    ),
    claim(
        "Divided by the number of tokens, linear attention keeps more.",
        own(DAI_LINEAR),
        lost[MEAN] - lost["linear"] < 0,
    ),
    claim(
        "Divided by the number of tokens, linear attention moves attention's output as softmax does.",
        own("derived here from attention without its softmax of Dai et al., and from SimAOU"),
        similarity.along(LAYER, MEAN) > 0.9,
    ),
    claim(
        "With Taylor weights of the highest degree it answers as with softmax.",
        own(REMAINDER),
        alike(lost[TAYLOR].last(), agreement[TAYLOR].last()),
    ),
    claim(
        "Every higher degree brings answers closer to those of softmax.",
        own(REMAINDER),
        agreement[TAYLOR].steps() > 0,
    ),
    claim(
        "What demonstrations do to softmax's normaliser matters.",
        own("derived here from LRGD, eqs. 8-11, in which the normaliser sums over demonstrations, too"),
        lost["normaliser without examples"] > 0.05,
        "with the normaliser of instructions and the query itself",
    ),
    claim(
        "One gradient step of every token's dual model, in every layer, answers as the decoder does.",
        said(Work.LRGD, "section 3.3, eqs. 8-11, and appendix C, eqs. 24-25"),
        agreement["step of dual models"] > 0.999,
        "in ratio form; numbers of 32 bits may turn an answer whose two best classes are nearly as likely",
    ),
    claim(
        "Scales and secants of the prompt without demonstrations answer as the actual ones do.",
        own("derived here from LRGD, eqs. 12-14, whose matrix is constant for a given prompt"),
        alike(lost["scales without examples"], agreement["scales without examples"]),
        "the queries' layer norms and activations are linearised at the prompt without demonstrations",
    ),
)
