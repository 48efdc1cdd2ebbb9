"""The settings that name the run whose trained decoders an experiment starts from. No JAX here."""

from dataclasses import dataclass, field

from tasks.settings import positive


@dataclass
class Trained:
    """The command line of the run that trains the decoders. It is run first if it is not finished."""

    experiment: str = "shifted_classes"
    words: list[str] = field(default_factory=list)  # further words of its command line, such as train.steps=300
    seeds: int = positive(3)  # the number of seeds, each of which gives one decoder

    @property
    def command(self) -> list[str]:
        """Return the words of the run that keeps the decoders."""
        return [f"experiment={self.experiment}", f"population.seeds={self.seeds}", *self.words]
