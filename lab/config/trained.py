"""The settings that name the run whose trained decoders an experiment starts from. No JAX here."""

from dataclasses import dataclass

from tasks.settings import key, positive


@dataclass
class Trained:
    """The command line of the run that trains the decoders. It is run first if it is not finished."""

    experiment: str = key("shifted_classes", "Experiment that trains the learners; it is run first if it is not done.")
    words: list[str] = key([], "Further words of its command line, such as train.steps=300.")
    seeds: int = positive(3, "Number of its seeds, each of which gives one learner.")

    @property
    def command(self) -> list[str]:
        """Return the words of the run that keeps the decoders."""
        return [f"experiment={self.experiment}", f"population.seeds={self.seeds}", *self.words]
