"""`online_stacks`: stacks of L delta-rule layers, trained from random weights on one task, beside L passes of
stochastic gradient descent and L steps of GD++ at their best rates, and Bayes' answer.

A stack with weights set by hand is these passes: each layer leaves the residual y - W f to the next one.
"""

from typing import ClassVar

import jax.numpy as jnp
import numpy as np

from experiments.online.beside import OPTIMAL, Beside, Makes, layout_of, mean_cosine, order_of
from experiments.online.curves import CURVES, SEED
from experiments.online.online.layers import CHUNK, ONLINE, learner, rate_by_token
from experiments.online.online.settings import Layer
from experiments.online.online_stacks import results
from experiments.online.online_stacks.settings import OnlineStacks
from lab.attention.fast_weights.delta import Delta
from lab.learners.fast_weight_transformer import FastWeightTransformer
from lab.learners.gates import Gates
from lab.learners.gd_plus_plus import GDPlusPlusByStep
from lab.learners.linear_transformer import Shape
from lab.learners.online.learner import Passes
from trainers import meta
from trainers.study import Part, Row, Tables

UNIT = 0.2  # GD++'s rates before they are fitted


class Stacks(Beside[OnlineStacks]):
    """One row per seed and number of layers."""

    TABLES: ClassVar = (results.STACKS, CURVES)

    def measure(self, part: Part) -> Tables:
        seed = part.columns[SEED]
        block = self.measured(seed)

        def row(depth: int) -> Row:
            stack, passes, steps = (block[name(depth)] for name in (results.stack_of, passes_of, steps_of))
            return {
                results.DEPTH: depth,
                results.trained.name: float(np.mean(stack["error"])),
                results.passes.name: float(np.mean(passes["error"])),
                results.steps.name: float(np.mean(steps["error"])),
                results.optimal.name: float(np.mean(block[OPTIMAL]["error"])),
                results.cosine.name: mean_cosine(stack["influence"], passes["influence"]),
                results.query_cosine.name: mean_cosine(stack["slope"], passes["slope"]),
                results.steps_cosine.name: mean_cosine(stack["influence"], steps["influence"]),
                results.order.name: order_of(stack),
                results.passes_order.name: order_of(passes),
            }

        return {results.STACKS: [row(depth) for depth in self.settings.depths], CURVES: self.curves(seed)}

    @staticmethod
    def layers(settings: OnlineStacks) -> Makes:
        layout = layout_of(settings)

        def make(depth: int) -> meta.Make:
            shape = Shape(layout, num_layers=depth, recurrent=False)
            gates = Gates(rate_by_token(ONLINE[Layer.delta], layout))
            return lambda key, scale: FastWeightTransformer(shape, Delta(), gates, key, scale, chunk=CHUNK)

        return {results.stack_of(depth): make(depth) for depth in settings.depths}

    @staticmethod
    def learners(settings: OnlineStacks) -> Makes:
        layout, count = layout_of(settings), settings.task.num_context

        def passes(depth: int) -> meta.Make:
            return lambda *_: Passes([learner(Layer.delta, layout, count) for _ in range(depth)])

        def steps(depth: int) -> meta.Make:
            return lambda *_: GDPlusPlusByStep(layout, jnp.asarray(UNIT), depth)

        return {
            name(depth): make(depth)
            for depth in settings.depths
            for name, make in ((passes_of, passes), (steps_of, steps))
        }


run = Stacks.run_each
learners = Stacks.structures


def passes_of(depth: int) -> str:
    """Return the name of the passes beside a stack."""
    return f"passes_{depth}"


def steps_of(depth: int) -> str:
    """Return the name of GD++ beside a stack."""
    return f"gd_plus_plus_{depth}"
