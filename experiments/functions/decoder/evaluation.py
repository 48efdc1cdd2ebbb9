"""The evaluation of a decoder at the end of training, for several numbers of examples in its context."""

import jax.numpy as jnp

from analysis.metrics.alignment import mean_and_error
from analysis.metrics.answers import Answers
from experiments.functions.decoder.settings import Decoder
from lab.learners.learner import Learner
from tasks.wrapper import Prefix
from trainers.decoders import evaluation
from trainers.population import Member
from trainers.runner import SessionRunner
from trainers.session import Session


class Evaluator(evaluation.Evaluator):
    """Also measures the decoders of a session with each of the settings' numbers of examples."""

    def __init__(self, session: Session, settings: Decoder):
        super().__init__(session, settings)
        self._counts = settings.counts

    def by_examples(self) -> list[dict]:
        """Return the numbers of `curve` for each of the settings' `counts`.

        Where the optimal answer is known, there is also "excess": statistics of the decoder's number minus the optimal
        one in each episode.
        """

        def measure(index: int, member: Member, learners: dict[str, Learner]) -> list[dict]:
            runner = SessionRunner(self.session.programs, self.group_sizes)
            everyone = learners | evaluation.optimal(member.task)
            results = []
            for count in self._counts:
                answers = self.evaluate_on(everyone, Prefix(member.task, jnp.asarray(count)), member, runner)
                results.append(evaluation.numbers_of(answers) | {"excess": _excess(answers)})
            return results

        return self.each_member(measure)


def _excess(answers: dict[str, Answers]) -> dict[str, dict]:
    """Return {number: statistics of the decoder's minus the optimal one}; nothing if that is not known."""
    if evaluation.OPTIMAL not in answers:
        return {}
    trained, best = (evaluation.values_of(answers[name]) for name in (Evaluator.SUBJECT, evaluation.OPTIMAL))
    return {number: mean_and_error(trained[number] - best[number]) for number in trained}
