"""The results of prompts that are drawn otherwise than in training [Garg22, section 5]: columns, and claims over
seeds of decoders that learned linear functions of d inputs."""

from analysis.figures.cited import Work, said
from analysis.figures.controls import Control
from analysis.results.column import Choice, Column, Headline
from analysis.results.declared import claim
from analysis.results.quantity import Bounds, Numbers, Quantity
from analysis.tables.select import distinct, rows_where, table
from lab.runs.directory import RunDirectory

SHIFTS = "shifts"  # the table with one row per shift, its value, decoder, learner and number of examples
SHIFT, VALUE, SEED, LEARNER, EXAMPLES = "shift", "value", "seed", "learner", "examples"  # value: 1 where it has none
DECODER, LEAST_SQUARES = "decoder", "least_squares"  # on the same episodes
SAME, ORTHOGONAL, REPEATED, NOISE = "same", "orthogonal", "repeated", "noise"

error = Column(SHIFTS, "error", "error", "Squared error divided by E f², that of the answer 0.", LEARNER)
NEAR = 0.1  # of E f²
HALF = 0.5  # of what least squares learns


def inputs(directory: RunDirectory) -> int:
    """Return d, which is one more than the most examples that a query can be orthogonal to."""
    return int(max(distinct(rows_where(table(directory, SHIFTS), {SHIFT: ORTHOGONAL}), EXAMPLES))) + 1


def after(count: float, shift: str, learner: str = DECODER, columns: str | tuple[str, ...] = ()) -> Quantity:
    """Return a learner's error under a shift after `count` times d examples, at every value of other columns."""
    every = error.where(shift=shift).along(columns, learner)

    def numbers(directory: RunDirectory) -> Numbers:
        rows = error.where(shift=shift, examples=int(count * inputs(directory)))
        return rows.along(columns, learner).numbers(directory)

    return Quantity(
        every.label, f"{every.subject}, {count:g} d examples", numbers, "at every value," if columns else ""
    )


def near(shift: str) -> Bounds:
    """Return the bound of an error that is hardly above that without a shift, for every value of the shift."""
    return after(2, shift, columns=VALUE) - after(2, SAME) < NEAR


def gained(learner: str) -> Quantity:
    """Return what a learner gains over the answer 0, whose error is 1."""
    return after(2, SAME, learner).map("(1 - {})", lambda error: 1 - error)


def _of_shifts(directory: RunDirectory) -> Numbers:
    most = 2 * inputs(directory)
    counts = Choice(f"up to {most}", lambda counts: [count for count in counts if count <= most][-1:])
    return error.where(examples=counts).along((SHIFT, VALUE), DECODER).numbers(directory)


HEADLINES = (
    Headline("error", "error", "The decoder's under a shift, with twice as many examples as inputs, or the most that "
             "there are.", Quantity("error", DECODER, _of_shifts, "under every shift,")),
)  # fmt: skip
ANSWER = (
    "on prompts as in training the decoder's error is {error.same, value 1} of E f²",
    "with other inputs it is {error.skewed, value 1} (skewed), {error.subspace, value 1} (in a subspace) and "
    "{error.orthants, value 1} (in two orthants), with noise {error.noise, *}",
    "where x is scaled it is {error.scale of x, *}, and where f is, {error.scale of f, *}",
)

SECTION = "section on prompts of other distributions"
CONTROLS = (
    Control("the decoder learns at least half of what least squares learns in context",
            gained(DECODER) / gained(LEAST_SQUARES) > HALF),
)  # fmt: skip
CLAIMS = (
    claim(
        "The error stays as it is when inputs or functions are scaled.",
        said(Work.GARG22, SECTION + ", scaled prompts"),
        near("scale of x") & near("scale of f"),
    ),
    claim(
        "With noise that training did not have it is as accurate as least squares.",
        said(Work.GARG22, SECTION + ", noisy targets"),
        after(2, NOISE, columns=VALUE) - after(2, NOISE, LEAST_SQUARES, VALUE) < NEAR,
        "on the same prompts, since no learner reaches the error without noise",
    ),
    claim(
        "The error stays as it is with a skewed covariance, in a subspace of half of the dimensions, and where prompt "
        "and query lie in different orthants.",
        said(Work.GARG22, SECTION + ", skewed covariance, subspace and orthants"),
        near("skewed") & near("subspace") & near("orthants"),
    ),
    claim(
        "A query that is orthogonal to all examples is answered with nearly 0, as nothing is known of it.",
        said(Work.GARG22, SECTION + ", orthogonal query"),
        error.where(shift=ORTHOGONAL).along(EXAMPLES, DECODER)
        - error.where(shift=ORTHOGONAL).along(EXAMPLES, LEAST_SQUARES)
        < NEAR,
        "the answer of least squares is 0, which is best",
    ),
    claim(
        "A query that is one of the examples is answered more accurately than a new one.",
        said(Work.GARG22, SECTION + ", query equal to an example"),
        after(0.5, SAME) - after(0.5, REPEATED) > 0,
    ),
)
