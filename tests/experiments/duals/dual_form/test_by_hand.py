"""The dual model by hand in NumPy: L2 terms of single steps, what W_0 depends on, cosines, and a generated token."""

import jax
import numpy as np
import pytest

from experiments.duals.dual_form import generation, regularizers, softmax
from experiments.duals.dual_form.forms import explicit_form, kernel_form
from experiments.duals.dual_form.heads import head_of, heads, prompt_of
from experiments.duals.dual_form.settings import DualForm

STEPS, RATE, ALPHA = 5, 0.2, 0.3
SETTINGS = DualForm(examples=STEPS, input_dim=3, instructions=3, perturbations=1, cases=2)


@pytest.fixture
def head(float64):
    return jax.tree.map(np.asarray, prompt_of(SETTINGS, jax.tree.map(lambda leaf: leaf[1], heads(SETTINGS))))


def start(head, query):
    """W_0 (C, F) and the normalizer of one query."""
    c = 1 / np.exp(head.keys_SxA @ head.queries_QxA[query]).sum()
    of_instructions = head.instructions_S > 0
    return c * head.values_SxC[of_instructions].T @ head.features_SxF[of_instructions], c


def by_hand(head, query, alpha_N):
    """W (C, F) after one step per demonstration, with the gradient of its loss and L2 term written out."""
    model_CxF, c = start(head, query)
    tokens = np.flatnonzero(head.demonstrations_S)
    for token, alpha in zip(tokens, alpha_N, strict=True):
        product_CxF = np.outer(head.values_SxC[token], head.features_SxF[token])
        model_CxF = model_CxF - RATE * (-c / RATE * product_CxF + alpha / RATE * model_CxF)
    return model_CxF


def shrunk(head, query):
    """The model (C, F) whose answer is attention with shrunk values of the instruction."""
    start_CxF, c = start(head, query)
    of_demonstrations = head.demonstrations_S > 0
    whole_CxF = c * head.values_SxC[of_demonstrations].T @ head.features_SxF[of_demonstrations]
    return (1 - ALPHA) * start_CxF + whole_CxF


def spreads():
    """Shares of the L2 term in each step that together shrink W_0 by 1 - ALPHA, and none is in the first step alone."""
    random = np.random.default_rng(0)
    logs_PxN = random.dirichlet(np.full(STEPS, 0.3), size=40) * np.log(1 - ALPHA)
    most_in_first_N = np.array([1 - 1e-6, 0, 0, 0, 1e-6]) * np.log(1 - ALPHA)
    single_NxN = np.eye(STEPS)[1:] * np.log(1 - ALPHA)
    return [1 - np.exp(logs_N) for logs_N in (*logs_PxN, most_in_first_N, *single_NxN)]


def test_shrunk_values_are_an_l2_term_of_the_first_step_alone(head):
    """Equal models, and so equal answers to any query, if and only if no later step has a share."""
    first_N = ALPHA * np.eye(STEPS)[0]
    for query in range(len(head.queries_QxA)):
        np.testing.assert_allclose(by_hand(head, query, first_N), shrunk(head, query), atol=1e-13)
        for alpha_N in spreads():
            assert np.prod(1 - alpha_N) == pytest.approx(1 - ALPHA)
            apart = np.abs(by_hand(head, query, alpha_N) - shrunk(head, query)).max()
            assert apart > 1e-3 * alpha_N[1:].sum() > 0


@pytest.mark.parametrize("form", [kernel_form, explicit_form])
def test_steps_with_terms_of_their_own_are_those_by_hand(form, head):
    for alpha_N in (ALPHA * np.eye(STEPS)[0], ALPHA * np.arange(STEPS) / STEPS, *spreads()[:2]):
        batches_NxS = np.diag(head.demonstrations_S)[head.demonstrations_S > 0]
        answers_QxC = form(head, head.normalizer, batches_NxS, RATE, alpha_N)[-1]
        expected_QxC = [by_hand(head, i, alpha_N) @ query_F for i, query_F in enumerate(head.features_QxF)]
        np.testing.assert_allclose(answers_QxC, expected_QxC, atol=1e-11)
        np.testing.assert_allclose(regularizers.by_products(head, alpha_N), expected_QxC, atol=1e-11)


def test_any_later_step_is_another_function(head):
    """In every case and for every step, not in the largest of them only: the measured distance is that of the nearest
    step."""
    measured = regularizers.shrunk_by_steps(head, RATE, ALPHA)
    expected_QxC = regularizers.shrunk_attention(head, ALPHA)
    apart = []
    for step in range(1, STEPS):
        alpha_N = ALPHA * np.eye(STEPS)[step]
        answers_QxC = np.array([by_hand(head, i, alpha_N) @ query_F for i, query_F in enumerate(head.features_QxF)])
        apart.append(np.abs(answers_QxC - expected_QxC).max() / max(1, np.abs(expected_QxC).max()))
    assert measured["shrunk_later_step"]["kernel"] == pytest.approx(min(apart), rel=1e-9)
    assert min(apart) > 1e-3


def test_the_start_has_the_normalizer_of_all_tokens(head):
    """The share by which W_0 differs is that of its normalizers, over the queries."""
    kept = head.without(head.demonstrations_S)
    one, other = (np.array([start(each, i)[1] for i in range(len(head.queries_QxA))]) for each in (head, kept))
    expected = np.linalg.norm(other - one) / np.linalg.norm(one)
    assert softmax.starts_apart(head, kept) == pytest.approx(expected, rel=1e-9)
    assert expected > 0.1
    assert softmax.starts_apart(head, head) == 0


def test_cosines_by_hand(head):
    """The loss of cosines and its gradient written out: d cos(v, z) / dz = v / (|v| |z|) - cos z / |z|^2."""
    measured = softmax.start_and_loss(head, RATE)["cosine_loss"]
    losses, cosines, answers = [], [], []
    tokens = np.flatnonzero(head.demonstrations_S)
    for i, query_F in enumerate(head.features_QxF):
        model_CxF, c = start(head, i)
        change_CxF, sums = 0 * model_CxF, [0.0, 0.0]
        for token in tokens:
            label, sample = head.values_SxC[token], model_CxF @ head.features_SxF[token]
            lengths = np.linalg.norm(label) * np.linalg.norm(sample)
            cosine = label @ sample / lengths
            sums = [sums[0] + label @ sample, sums[1] + cosine]
            slope = label / lengths - cosine * sample / (sample @ sample)
            change_CxF = change_CxF + c * np.outer(slope, head.features_SxF[token])
        losses.append(-c / RATE * sums[0])
        cosines.append(-c / RATE * sums[1])
        answers.append((model_CxF + change_CxF) @ query_F)
    attention_QxC = np.asarray(head.attention)

    def apart(answers, expected):
        return np.abs(np.array(answers) - expected).max() / max(1, np.abs(expected).max())

    assert measured["the loss"] == pytest.approx(apart(cosines, np.array(losses)), rel=1e-8)
    assert measured["its step"] == pytest.approx(apart(answers, attention_QxC), rel=1e-8)
    assert min(apart(cosines, np.array(losses)), apart(answers, attention_QxC)) > 1e-3


def test_a_generated_token_moves_the_start_of_the_next_one(float64):
    """The rows are what three lines of NumPy give: W_0 + c v phi(k)^T with the normalizer of the query before, which is
    a different function, and no more than the ratio of the normalizers different."""
    whole = jax.tree.map(np.asarray, head_of(SETTINGS, jax.tree.map(lambda leaf: leaf[1], heads(SETTINGS))))
    assert whole.perturbations_S.sum() == 1
    weights_QxS = np.exp(whole.queries_QxA @ whole.keys_SxA.T)
    h_QxC = weights_QxS @ whole.values_SxC / weights_QxS.sum(axis=1, keepdims=True)
    before_Q = np.roll(weights_QxS[:, whole.perturbations_S == 0].sum(axis=1), 1)
    models_QxCxF = (whole.values_SxC.T @ whole.features_SxF)[None] / before_Q[:, None, None]
    answers_QxC = np.einsum("qcf,qf->qc", models_QxCxF, whole.features_QxF)
    np.testing.assert_allclose(answers_QxC, h_QxC * (weights_QxS.sum(axis=1) / before_Q)[:, None], rtol=1e-10)
    error = np.max(np.abs(answers_QxC - h_QxC)) / max(1.0, np.max(np.abs(h_QxC)))
    measured = generation.case(whole, RATE)
    assert measured["generated_as_written"]["kernel"] == pytest.approx(error, rel=1e-9)
    assert error > 0.05
