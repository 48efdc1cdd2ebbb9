"""The learners that a comparison trains, and the learner that the Transformer is compared with during training."""

import jax

from experiments.regression.comparison import descents
from experiments.regression.comparison.references import References
from experiments.regression.comparison.settings import Comparison
from lab.config.choices import Features
from lab.layouts.merged import TokenLayout
from lab.learners.fitted_rag import FittedRag
from trainers import transformers
from trainers.meta import Make
from trainers.population import Member

SUBJECT = "transformer"
LEARNED = "learned_descent"  # gradient descent on features that are learned for it
OF_THE_SUBJECT = (SUBJECT, "interpolated", "shuffled")  # what is made of the Transformer is no reference of others
FITTED = "fitted_rag"  # learned features and documents, fitted to the rows of a table


def trainees(settings: Comparison, member: Member, references: References) -> dict[str, Make]:
    """Return {name: what makes the untrained learner} of all that is trained, on the same episodes and steps.

    It is the Transformer; where it has learned features, gradient descent with learned features of its own as well; and
    for a table with documents also the model that is fitted to it. Each begins with the key of the run itself, so that
    a further learner changes no other.
    """
    trained = {SUBJECT: transformers.transformer(settings, member.task)}
    if settings.model.features is Features.inputs:
        return trained
    features, embedded = transformers.features(settings, member.task), transformers.embedded(settings, member.task)

    def learned_descent(key, init_scale):
        key_features, _ = jax.random.split(key)  # the initial features are those of the Transformer
        layout = transformers.layout_of(settings, member.task)
        return embedded(key_features, descents.descent_of(settings, member.task, layout, None)(references.eta.eta))

    def fitted_rag(key, init_scale):
        key_features, key_head = jax.random.split(key)
        inputs, width = TokenLayout.of(member.task), member.task.document_width
        return FittedRag(inputs, features(key_features), width, key_head, init_scale)

    trained[LEARNED] = learned_descent
    return trained | {FITTED: fitted_rag} if member.task.finite and member.task.document_width else trained


def reference_of(settings: Comparison) -> str:
    """Return the name of the learner that the Transformer is compared with during training."""
    return "gradient_descent" if settings.model.features is Features.inputs else LEARNED
