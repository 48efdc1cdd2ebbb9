"""Distribution shift: what changes is what was asked for, and nothing else."""

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.stats

from tasks.catalogue import SYNTHETIC, TASKS
from tasks.settings import Law
from tasks.shift import Shift, Shifted, quantile
from tests.compiled import sampled

KEY = jax.random.key(0)


def shifted(task, batch=64, **changes):
    return sampled(Shifted(task, Shift.of(task, **changes)), KEY, batch)


@pytest.mark.parametrize("name", sorted(SYNTHETIC))
def test_no_shift_is_the_task_itself(name):
    """To the rounding of a division by the scale and a product with it."""
    task = TASKS[name](scale=0.7)
    chex.assert_trees_all_close(shifted(task), sampled(task, KEY, 64), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", sorted(SYNTHETIC))
def test_alpha_is_the_task_at_that_scale(name):
    """The same draws as those of the task that has this scale; documents stay."""
    chex.assert_trees_all_close(
        shifted(TASKS[name](), alpha=2.0), sampled(TASKS[name](scale=2.0), KEY, 64), rtol=1e-5, atol=1e-5
    )


@pytest.mark.parametrize("name", sorted(SYNTHETIC))
def test_a_stronger_teacher_scales_the_targets_alone(name):
    plain, strong = shifted(TASKS[name]()), shifted(TASKS[name](), teacher=3.0)
    chex.assert_trees_all_close(strong.prompt.answers, 3 * plain.prompt.answers, rtol=1e-6)
    chex.assert_trees_all_close(strong.target, 3 * plain.target, rtol=1e-6)
    chex.assert_trees_all_equal(*(e.prompt.replace(answers=None) for e in (strong, plain)))


def test_noise_is_added_to_the_context_alone_and_is_independent_of_the_teacher():
    """Its deviation from 40,000 entries within 4 standard errors, 4 sqrt(1/2 / 40,000) = 1.4%; with the clean targets
    its correlation is 0 within 4 / sqrt(40,000)."""
    task = TASKS["plain"]()
    plain, noisy = shifted(task, 4000), shifted(task, 4000, noise=0.5)
    added = np.asarray(noisy.prompt.answers - plain.prompt.answers).ravel()
    assert added.std() == pytest.approx(0.5, rel=0.014)
    assert abs(np.corrcoef(added, np.asarray(plain.prompt.answers).ravel())[0, 1]) < 0.02
    chex.assert_trees_all_equal(*((e.prompt.replace(answers=None), e.target) for e in (noisy, plain)))


@pytest.mark.parametrize(("name", "kept"), [("rag_linear", "z"), ("rag_dot", "documents")])
def test_documents_can_be_scaled_too(name, kept):
    plain, scaled = (shifted(TASKS[name](), documents=factor).prompt for factor in (1.0, 2.0))
    documents = {"z": lambda prompt: prompt.context.z, "documents": lambda prompt: prompt.documents}[kept]
    chex.assert_trees_all_close(documents(scaled), 2 * documents(plain), rtol=1e-6)
    chex.assert_trees_all_equal(scaled.context.x, plain.context.x)
    assert not np.allclose(scaled.answers, plain.answers), "targets follow the documents"


EXPECTED = {  # with second moment 1/3
    Law.uniform: scipy.stats.uniform(-1, 2),
    Law.normal: scipy.stats.norm(0, 3**-0.5),
    Law.exponential: scipy.stats.expon(0, 6**-0.5),
    Law.laplace: scipy.stats.laplace(0, 6**-0.5),
}


@pytest.mark.parametrize("law", list(Law))
def test_input_distributions(law):
    """SciPy's quantile functions are a second implementation; all have the second moment of U(-1, 1)."""
    u = jnp.linspace(-0.999, 0.999, 201)
    result = quantile(jnp.asarray(list(Law).index(law)), u)
    np.testing.assert_allclose(result, EXPECTED[law].ppf((np.asarray(u, np.float64) + 1) / 2), rtol=2e-4, atol=1e-5)
    assert EXPECTED[law].moment(2) == pytest.approx(1 / 3)
    ends = quantile(jnp.asarray(list(Law).index(law)), jnp.array([-1.0, 1.0]))
    assert np.all(np.isfinite(ends))
    x = shifted(TASKS["plain"](scale=2.0), 1000, law=law).prompt.context.x
    assert scipy.stats.kstest(np.asarray(x).ravel() / 2, EXPECTED[law].cdf).pvalue > 1e-4


def test_a_grid_of_shifts_is_one_program():
    task = TASKS["rag_dot"]()
    grid = [Shift.of(task, alpha=a, law=law) for a in (0.5, 2.0) for law in Law]

    @jax.jit
    @chex.assert_max_traces(n=1)
    def second_moments(shifts):
        return jax.lax.map(lambda shift: jnp.mean(Shifted(task, shift).sample(KEY, 2000).prompt.context.x ** 2), shifts)

    result = second_moments(jax.tree.map(lambda *leaves: jnp.stack(leaves), *grid))
    np.testing.assert_allclose(result, np.repeat([0.5**2 / 3, 2.0**2 / 3], len(Law)), rtol=0.05)
