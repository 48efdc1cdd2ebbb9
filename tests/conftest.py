"""Rank promotion raises in every test; `float64` gives a test double precision."""

import gc
import os
import pathlib
import sys
from unittest import mock

import chex
import jax
import jaxlib
import pytest

import experiments
from lab.config import kinds
from tests import lowered
from tests.compiled import own_programs
from tests.sketch import nothing, once, sketched
from trainers.programs import Programs

# Most tests compile for longer than they compute. Of a cold run of `plain` on a tiny budget, 12.8 seconds, compiling
# is 6.3; without the emitters of fused loops, which go through MLIR, and with one LLVM module per program it is 1.4.
# A training of thousands of steps is as fast as without these flags. XLA reads them when it first compiles; commands
# inherit them. Later versions of jaxlib do not know the first, and abort at a flag that they do not know.
QUICK_TO_COMPILE = "--xla_cpu_use_fusion_emitters=false --xla_cpu_parallel_codegen_split_count=1"


if jaxlib.__version__.startswith("0.10."):
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {QUICK_TO_COMPILE}".strip()
    lowered.install()
# Gradient boosting of a small table takes .1 s with one thread, and seconds with two on busy processors.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# What JAX traces makes many objects and little garbage: collecting it as often as Python does takes 1.5 of 7 seconds.
gc.freeze()
gc.set_threshold(50_000, 20, 20)
jax.config.update("jax_numpy_rank_promotion", "raise")
jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_disable_most_optimizations", True)
jax.config.update("jax_include_full_tracebacks_in_locations", False)  # writing them into programs takes a twentieth
# Many tests compile the same small programs; XLA's results are kept between them and between runs.
jax.config.update("jax_compilation_cache_dir", str(pathlib.Path(__file__).parent.parent / ".pytest_cache" / "jax"))
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
# XLA's own caches are a GPU's; the names of their files would be in every key, and no other folder find a result.
jax.config.update("jax_persistent_cache_enable_xla_caches", "none")


kinds.install(experiments.kinds(), experiments.files())


@pytest.fixture
def optimized():
    """Programs as users get them, for tests that compute for longer than they compile."""
    with own_programs("optimized"):  # programs in memory do not know by which of the two they were compiled
        jax.config.update("jax_disable_most_optimizations", False)
        yield
        jax.config.update("jax_disable_most_optimizations", True)


@pytest.fixture
def drawn():
    """Figures are drawn in this test, every one."""


@pytest.fixture
def drawn_once():
    """Each figure is drawn in this test for the first of its runs; but those of circuits, which every kind of run has
    alike and tests/experiments/regression/comparison/test_circuits.py draws."""


@pytest.fixture(autouse=True)
def _sketched(request):
    """Elsewhere one pixel is saved for each figure."""
    if "drawn" in request.fixturenames:
        yield
        return
    first = once() if "drawn_once" in request.fixturenames else nothing
    with sketched(lambda directory, name: not name.startswith("circuits") and first(directory, name)):
        yield


@pytest.fixture(scope="module")
def compiled_once():
    """The sessions of a file share their programs, by name and by structure, shapes and types of arguments: for runs
    that differ in what is traced alone."""
    compiled, real = {}, Programs.__init__

    def init(self, *arguments):
        real(self, *arguments)
        self.compiled = compiled

    with mock.patch.object(Programs, "__init__", init):
        yield


@pytest.fixture
def float64():
    with jax.enable_x64(True):
        yield


@pytest.fixture(autouse=True)
def _count_traces_afresh():
    """chex counts the traces of a function by its source: parametrized tests would add up."""
    chex.clear_trace_counter()


@pytest.fixture
def tables(monkeypatch):
    """The lab's tables are afterwards as they were, and no file of the user's own is imported any more."""
    from analysis import figures
    from experiments.regression.comparison import own_learners
    from lab.config import identity, user_modules
    from lab.learners import roles
    from lab.runs import provenance
    from tasks import catalogue, settings

    monkeypatch.setenv(user_modules.FOLDERS, "")
    dictionaries = [settings.SCHEMAS, catalogue.TASKS, kinds.KINDS, roles.ROLES]
    dictionaries += [figures.FIGURES, own_learners.OWN]
    before, modules, folders = [dict(table) for table in dictionaries], set(sys.modules), list(user_modules.__path__)
    yield
    for table, rows in zip(dictionaries, before, strict=True):
        table.clear()
        table.update(rows)
    user_modules.__path__[:] = folders
    identity.code_hash.cache_clear()
    provenance._code.cache_clear()
    for name in [name for name in sys.modules if name.startswith(f"{user_modules.__name__}.") and name not in modules]:
        del sys.modules[name]
