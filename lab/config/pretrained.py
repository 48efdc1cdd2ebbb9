"""The settings that name the run whose trained learners an experiment starts from. No JAX here."""

from dataclasses import dataclass, field

from lab.config.base import Base
from lab.config.training import number_of_seeds
from tasks.settings import key


@dataclass
class Trained:
    """The command line of the run that trains the learners. It is run first if it is not finished."""

    experiment: str = key("shifted_classes", "Experiment that trains the learners; it is run first if it is not done.")
    words: list[str] = key([], "Further words of its command line, such as train.steps=300.")

    def command(self, seed: int, seeds: int) -> list[str]:
        """Return the overrides of the run that keeps the learners of `seeds` consecutive seeds, from `seed` on."""
        return [f"experiment={self.experiment}", f"seed={seed}", f"seeds={seeds}", *self.words]


@dataclass
class StartsFromTrained(Base):
    """The keys of every kind that starts from the learners of another run."""

    model: Trained = field(default_factory=Trained)
    seeds: int = number_of_seeds(3)  # of that run; each gives one learner

    @property
    def command(self) -> list[str]:
        """The overrides of the run that keeps the learners."""
        return self.model.command(self.seed, self.seeds)

    def inputs(self) -> list[list[str]]:
        return [self.command]
