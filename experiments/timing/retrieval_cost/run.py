"""`retrieval_cost`: the times of a training step and of answers, for every retriever and number of documents."""

import functools
import itertools
from collections.abc import Callable, Mapping, Sequence

from experiments.timing.retrieval_cost.answers import BATCHES, answering
from experiments.timing.retrieval_cost.results import DOCUMENTS, RETRIEVER, TIMED, Timed
from experiments.timing.retrieval_cost.settings import RetrievalCost
from lab.config import timed
from tasks.settings import RagDot, RagLinear
from trainers.study import Row
from trainers.timing.study import Program, TurnsStudy, of_calls
from trainers.timing.training import Training

RETRIEVERS = {schema.name: schema for schema in (RagLinear, RagDot)}


class RetrievalStudy(TurnsStudy[RetrievalCost]):
    """A case per thing that is timed; its programs are all retrievers with all numbers of documents."""

    def cases(self) -> Sequence[Row]:
        return [{TIMED: each} for each in Timed]

    def makers(self, case: Row) -> Mapping[str, Callable[[], Program]]:
        return {
            f"{retriever}, {documents} documents": functools.partial(
                program_of, self.settings, case[TIMED], retriever, documents
            )
            for retriever, documents in itertools.product(RETRIEVERS, self.settings.documents)
        }


run = RetrievalStudy.run_each


def program_of(settings: RetrievalCost, which: str, retriever: str, documents: int) -> Program:
    """Return the program of one retriever and number of documents; `which` is a value of `Timed`."""
    task, columns = RETRIEVERS[retriever](num_documents=documents), {RETRIEVER: retriever, DOCUMENTS: documents}
    if which == Timed.STEP:
        return training(settings, task).timed(settings.seconds, columns=columns)
    call = answering(settings, task, retrieved=which == Timed.RETRIEVED)
    return of_calls(settings.seconds, call, BATCHES, columns=columns)


def training(settings: RetrievalCost, task: RagLinear | RagDot) -> Training:
    """Return the training on a task."""
    return Training(
        timed.Timed(
            seed=settings.seed,
            task=task,
            model=settings.model,
            train=timed.SpeedTrain(batch_size=settings.batch_size),
            examples=settings.batch_size * task.num_context,  # as many as the batch has, so that it is not reduced
        )
    )
