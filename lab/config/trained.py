"""The trained decoders that an experiment starts from: which run made them. No JAX here."""

from dataclasses import dataclass, field

from tasks.settings import positive


@dataclass
class Trained:
    """`model.experiment` and `model.words` are the command line of the run; it is run first where it is not done."""

    experiment: str = "shifted_classes"
    words: list[str] = field(default_factory=list)  # further words of its command line, such as train.steps=300
    seeds: int = positive(3)  # decoders of so many seeds, trained together

    @property
    def command(self) -> list[str]:
        """The words of the run that keeps the decoders."""
        return [f"experiment={self.experiment}", f"population.seeds={self.seeds}", *self.words]
