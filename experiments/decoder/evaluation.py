"""A decoder measured at the end by the number of examples that it is shown."""

import jax.numpy as jnp

from analysis.metrics.alignment import mean_and_error
from analysis.metrics.answers import Answers
from lab.learners.learner import Learner
from tasks.prefix import Prefix
from trainers.decoders import evaluation
from trainers.population import Member
from trainers.runner import SessionRunner


class Evaluator(evaluation.Evaluator):
    """Also measures the decoders of a session after each of the settings' numbers of examples."""

    def by_examples(self) -> list[dict]:
        """For each of `settings.counts` as `curve`, and under "excess" the decoder's numbers minus the optimal ones, in
        each episode."""

        def measure(index: int, member: Member, learners: dict[str, Learner]) -> list[dict]:
            runner = SessionRunner(self.session.programs, self.group_sizes)
            everyone = learners | evaluation.optimal(member.task)
            results = []
            for count in self.settings.counts:
                answers = self.evaluate_on(everyone, Prefix(member.task, jnp.asarray(count)), member, runner)
                results.append(evaluation.numbers_of(answers) | {"excess": _excess(answers)})
            return results

        return self.each_member(measure)


def _excess(answers: dict[str, Answers]) -> dict[str, dict]:
    if evaluation.OPTIMAL not in answers:
        return {}
    trained, best = (evaluation.values_of(answers[name]) for name in (Evaluator.SUBJECT, evaluation.OPTIMAL))
    return {number: mean_and_error(trained[number] - best[number]) for number in trained}
