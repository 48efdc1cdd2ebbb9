"""The table of `dual_form`, one row per identity and variant, and bounds on its errors.

Where a source asserts that two functions are equal and the table measures how far they are apart, the claim is the
source's sentence, and equality to 1e-12 its criterion.
"""

import functools
import operator

from analysis.results.column import Column
from analysis.results.quantity import Bounds, Every

IDENTITIES = "identities"
TOPIC, STATEMENT, SOURCE = "topic", "statement", "source"  # the statement as a sentence; the paper and its equations
VARIANT, IDENTITY = "variant", "identity"  # a loss, a form of the dual model, an activation; a short name
RELATION = "relation"  # equal, or different where the statement asserts a difference, or approximate
TOLERANCE, HOLDS = "tolerance", "holds"  # the bound that the error must not exceed, or must exceed; 1 or 0
# An answer is rounded some hundred times, by 1e-16 each, of numbers up to 10: its error is 1e-15 to 1e-13.
EQUAL = 1e-12
# Functions count as different if they are a thousand times further apart than equal ones may be. Batch and online
# descent differ by the order of beta^2 (cross-entropy: 3e-2 at beta = 0.2, 9e-7 at beta = 0.001), which this bound
# distinguishes from rounding above beta = 1e-4.
DIFFERENT = 1e3 * EQUAL

error = Column(IDENTITIES, "error", "error", "Largest difference over the cases; of a share that is lost the mean.",
               IDENTITY, worst=max)  # fmt: skip


def equal(*identities: str) -> Bounds | Every:
    """Return the bounds that both sides of some identities are equal, in every variant."""
    return _all([error.along(VARIANT, each) < EQUAL for each in identities])


def different(*identities: str) -> Bounds | Every:
    """Return the bounds that the two sides are different functions, in every variant."""
    return _all([error.along(VARIANT, each) > DIFFERENT for each in identities])


def lost(*identities: str) -> Bounds | Every:
    """Return the bounds that more than a tenth of what demonstrations change is lost without them."""
    return _all([error.along(VARIANT, each) > 0.1 for each in identities])


def _all(bounds: list[Bounds]) -> Bounds | Every:
    return functools.reduce(operator.and_, bounds)
