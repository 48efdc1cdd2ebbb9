"""Settings of `retrieval_cost`: times by retriever and number of documents. No JAX here."""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config.base import LARGEST, Base, Hosts
from lab.config.key_checks import some_each_once
from lab.config.stack import Model
from lab.errors import ConfigError
from tasks.settings import above_zero, key, positive


@dataclass
class RetrievalCost(Base):
    """One process times training steps and answers with every retriever and every number of documents, in turns."""

    FIGURE: ClassVar = "retrieval_cost"
    FIRST: ClassVar = ["documents", "batch_size", "model.num_layers", "model.recurrent", "rounds", "seconds"]
    TINY: ClassVar = ["experiment=retrieval_cost", "documents=[1,2]", "batch_size=4", "rounds=2", "seconds=0.001"]

    documents: list[int] = key(
        [2, 5, 10, 25], "Numbers of documents, each measured with every retriever.", at_least=1, at_most=LARGEST
    )
    model: Model = field(default_factory=Model)
    batch_size: int = positive(1024, "Episodes per training step.")
    rounds: int = positive(9, "Rounds of measurements, in each of which every program runs once.")
    seconds: float = above_zero(0.3, "About how long one measurement takes.", unit="seconds")

    def check(self) -> None:
        if self.hosts != Hosts():
            raise ConfigError("hosts: the cost is measured on one device; leave hosts.* out")
        some_each_once("documents", self.documents)
