"""The results of `language_dual`: columns, and claims about dual models in every layer of a language model."""

from analysis.figures.cited import Work, own, said
from analysis.results.column import FIRST, LAST, Column, Headline
from analysis.results.declared import claim

LAYERS = "layers"  # the table with one row per set of demonstrations and layer
PATH = "path"  # the table with one row per set, layer and share of the demonstrations' tokens
FEATURES = "features"  # the table with one row per set, layer, sort and number of random features
SEED, LAYER = "seed", "layer"  # of a set of demonstrations; from 1 on
LEARNED = "learned"  # share of the demonstrations' tokens that the last token's dual models have learned
MAP, COUNT = "map", "features"
NEGATIVE = "negative"  # share of heads whose normaliser is estimated as zero or negative

error = Column(LAYERS, "error", "error of dual models", "Largest difference of a dual model's answer from attention's "
               "output, of all tokens, relative to the largest output.", LAYER, worst=max)  # fmt: skip
share = Column(LAYERS, "share", "attention on demonstrations", "Share of the last token's attention on demonstrations, "
               "mean over heads.", LAYER)  # fmt: skip
norm = Column(LAYERS, "norm", "norm", "Geometric mean of the norms of the last query and of the demonstrations' keys, "
              "mean over heads.", LAYER)  # fmt: skip
moved = Column(LAYERS, "moved", "size of the step", "Size of the step's part in the answer of the last token's dual "
               "models, relative to it, mean over heads.", LAYER)  # fmt: skip
distance = Column(PATH, "distance", "squared distance from attention", "Squared distance of the last token's answer "
                  "from attention's output, relative to it, mean over heads.", LEARNED, worst=max)  # fmt: skip
feature_error = Column(FEATURES, "error", "relative error of the output", "Relative error of the last token's output, "
                       "median over heads and queries.", MAP)  # fmt: skip
OVER_LAYERS = (share, norm, moved)

largest_error = error.along(LAYER).over(max, "the largest")
HEADLINES = (
    Headline(error.name, error.label, error.sentence, largest_error),
    *(Headline(each.name, each.label, f"{each.sentence[:-1]} and layers.", each.along(LAYER).mean())
      for each in OVER_LAYERS),
)  # fmt: skip
ANSWER = (
    "in every layer the answers of the dual models of all tokens differ from attention's outputs by at most {error} of "
    "the largest one",
    "the step on the demonstrations is {moved} of an answer of the last token",
)

EQUAL = 1e-5  # of the largest output: what 32 bits leave of an identity
lowest = feature_error.where(layer=1)
CLAIMS = (
    claim(
        "Attention in a language model is a gradient step on dual models, for each token, layer and head, and a step "
        "for each token of the demonstrations leads there.",
        said(
            Work.LRGD,
            "section 3.3, eqs. 8-11, appendices C and D, and figure 8(a)",
            "equivalence between LRGD token generation and gradient descent",
        ),
        largest_error.within(EQUAL) & (distance[1] / distance[0] < EQUAL),
        controls=(),
    ),
    claim(
        "More random features of a language model's queries and keys give its output more exactly.",
        own("derived here: the error of a mean of independent features falls with their number"),
        lowest.where(features=LAST)["positive"] - lowest.where(features=FIRST)["positive"] < 0,
        controls=(),
    ),
)
