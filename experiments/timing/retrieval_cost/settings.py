"""Settings of `retrieval_cost`: times by retriever and number of documents. No JAX here."""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config.base import LARGEST
from lab.config.stack import Model
from lab.config.timed import InTurns
from tasks.settings import positive, several


@dataclass
class RetrievalCost(InTurns):
    """One process times training steps and answers with every retriever and every number of documents, in turns."""

    FIRST: ClassVar = ["documents", "batch_size", "model.num_layers", "model.recurrent", "rounds", "seconds"]
    TINY: ClassVar = ["experiment=retrieval_cost", "documents=[1,2]", "batch_size=4", "rounds=2", "seconds=0.001"]

    documents: list[int] = several(
        [2, 5, 10, 25], "Numbers of documents, each measured with every retriever.", at_least=1, at_most=LARGEST
    )
    model: Model = field(default_factory=Model)
    batch_size: int = positive(1024, "Episodes per training step.")
