"""Rank promotion raises in every test; `float64` gives a test double precision."""

import pathlib

import chex
import jax
import pytest

jax.config.update("jax_numpy_rank_promotion", "raise")
jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_disable_most_optimizations", True)  # most tests compile for longer than they compute
# Many tests compile the same small programs; XLA's results are kept between them and between runs.
jax.config.update("jax_compilation_cache_dir", str(pathlib.Path(__file__).parent.parent / ".pytest_cache" / "jax"))
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)


@pytest.fixture
def optimized():
    """Programs as users get them, for tests that compute for longer than they compile."""
    jax.config.update("jax_disable_most_optimizations", False)
    yield
    jax.config.update("jax_disable_most_optimizations", True)


@pytest.fixture
def float64():
    with jax.enable_x64(True):
        yield


@pytest.fixture(autouse=True)
def _count_traces_afresh():
    """chex counts the traces of a function by its source: parametrized tests would add up."""
    chex.clear_trace_counter()
