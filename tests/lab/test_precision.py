"""Products of float32 matrices: as exact as float32, or rounded by tensor cores, by as much as their mantissas say."""

import importlib.metadata
import json
import os
import subprocess
import sys

import pytest

from tests.command_line import ROOT
from tests.lab.precision import WIDTH, measure

# Along the way to a prediction there are four sums of products, of factors that are rounded first, and one more that
# merges P and W_V: ten roundings, by 2^-bits at most where bits are cut off.
ROUNDINGS, SUMS = 10, 4


def bound(bits):
    """On the worst error; sums of WIDTH terms are float32's, or a tensor core's, which drops up to two bits more."""
    return ROUNDINGS * 2.0**-bits + SUMS * WIDTH * 2.0**-21


def test_float32_products_on_a_cpu():
    """Of either accuracy of sums: so the measurement itself is no farther from the truth."""
    result = measure(["highest"])["highest"]
    assert 0 < result["rms"] < result["worst"] < (ROUNDINGS + SUMS * WIDTH) * 2.0**-23


@pytest.fixture(scope="module")
def on_gpu():
    """The errors on a GPU that has tensor cores for float32, by precision."""
    if not importlib.metadata.entry_points(group="jax_plugins"):
        pytest.skip("no GPU: no plugin of JAX for one is installed")
    environment = {name: value for name, value in os.environ.items() if name != "JAX_PLATFORMS"}
    words = [sys.executable, "-m", "tests.lab.precision", "highest", "high", "default", "BF16_BF16_F32"]
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    if result["platform"] != "gpu" or float(result["capability"] or 0) < 8.0:
        pytest.skip(f"no GPU with TF32: JAX found {result['platform']}, compute capability {result['capability']}")
    print(result)
    return result["errors"]


def test_products_on_a_gpu_are_as_exact_as_their_mantissas(on_gpu):
    """TF32 keeps 10 bits, bfloat16 7. Farther: 2^13 or 2^16 times as coarse as float32's 23, of which the many terms of
    float32's sums make less; a tenth of nothing that tensor cores do is that exact. bfloat16 is farther than TF32 by
    2^3 where both round, by 2^2 where TF32 cuts off; the bounds on the worst case are wider than that."""
    assert on_gpu["highest"]["worst"] < (ROUNDINGS + SUMS * WIDTH) * 2.0**-23
    for precision, bits in (("high", 10), ("default", 10), ("BF16_BF16_F32", 7)):
        assert on_gpu[precision]["worst"] < bound(bits)
        assert on_gpu[precision]["rms"] > 10 * on_gpu["highest"]["rms"]
    assert on_gpu["BF16_BF16_F32"]["rms"] > 2 * on_gpu["default"]["rms"]
