"""The verb of a comparison: does a learner predict as another one, by direction, distance, loss and shuffled labels?

A cosine is blind to scale, and two learners that both ignore the labels may point the same way. So the distance of the
predictions is measured by what means nothing: their distance from the constant 0, and from the same learner's
predictions with shuffled labels. Each bound must be met by the whole 95% interval.
"""

import dataclasses
from collections.abc import Mapping

from analysis.report.sentences import away
from analysis.report.values import Measured, number

SUBJECT = "transformer"
AS, NEARLY = "predict{s} as", "predict{s} nearly as"
UNCLEAR, UNLIKE = "{does} not clearly predict as", "{does} not predict as"
BOUNDS = {  # least cosine; largest difference of losses, of the reference's; largest distance, of the smaller of both
    AS: (0.99, 0.01, 0.1),
    NEARLY: (0.95, 0.1, 0.3),
}


@dataclasses.dataclass(frozen=True)
class Compared:
    """A learner beside a reference, on the same episodes; None where a number was not measured or is not finite.

    cosine: of sensitivities. distance, zero, shuffled: mean L2 distance of its predictions from the reference's, from 0
    and from its own with shuffled labels. loss: its loss less the reference's. unit: the reference's loss.
    """

    cosine: Measured | None
    distance: Measured | None
    zero: Measured | None
    shuffled: Measured | None
    loss: Measured | None
    unit: float

    @classmethod
    def of(cls, summary: Mapping, reference: str, learner: str = SUBJECT) -> "Compared":
        """Return the numbers of a summary, of the Transformer or of a learner of the user's own."""
        prefix = "" if learner == SUBJECT else f"{learner}."
        return cls(
            cosine=number(summary, f"{prefix}{reference}.sensitivity_cosine"),
            distance=number(summary, f"{prefix}{reference}.prediction_l2"),
            zero=number(summary, f"{prefix}mean.prediction_l2"),
            shuffled=number(summary, f"{prefix}shuffled.prediction_l2"),
            loss=number(summary, f"{prefix}{reference}.loss_difference"),
            unit=summary["learners"][reference]["loss"]["mean"],
        )

    @property
    def verb(self) -> str:
        """The verb of a sentence, with places for {s} and {does}."""
        for verb, bounds in BOUNDS.items():
            if self._meets(*bounds, by_interval=True):
                return verb
        return UNCLEAR if self._meets(*BOUNDS[NEARLY], by_interval=False) else UNLIKE

    def words(self, compared: str, loss: Measured | None = None) -> str:
        """Return the numbers that the verb follows from.

        Args:
            compared: whose loss the own one is compared with.
            loss: the difference from that, where it is not the reference's.
        """
        difference = loss or self.loss
        parts = [
            f"cosine of sensitivities {self.cosine.text(4)}"
            if self.cosine
            else "the cosine of sensitivities is not defined"
        ]
        if self.distance:
            parts.append(f"predictions {self.distance.text()} away")
            if self.zero and self.zero.high < self.distance.low:
                parts[-1] += f", while the constant 0 is {self.zero.text()} away from them"
        if self.shuffled:
            parts.append(f"with shuffled labels they change by {self.shuffled.text()}")
        if difference:
            parts.append(f"loss {away(difference, compared)}")
        return ", ".join(parts)

    def _meets(self, cosine: float, loss: float, share: float, by_interval: bool) -> bool:
        """Return whether bounds are met: by the whole intervals, or by the means, where a missing control is no bar."""
        if self.cosine is None or self.loss is None or self.distance is None:
            return False
        if not by_interval:
            controls = [each.mean for each in (self.zero, self.shuffled) if each]
            is_near = all(self.distance.mean <= share * control for control in controls)
            return is_near and self.cosine.mean >= cosine and self.loss.size.mean <= loss * self.unit
        if self.zero is None or self.shuffled is None:
            return False
        is_near = self.distance.high <= share * min(self.zero.low, self.shuffled.low)
        return is_near and self.cosine.low >= cosine and self.loss.size.high <= loss * self.unit
