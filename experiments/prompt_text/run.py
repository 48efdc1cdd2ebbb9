"""`prompt_text`: what [LRGD] does to the text of a prompt, done to the learned instructions of a decoder.

A decoder learns to recommend from prompts of the user's own demonstrations. At the test some are another person's. All
operations on the instructions (`lab.learners.prompt_text`) are measured on the same users as the plain decoder.
"""

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence

import jax
import jax.numpy as jnp
import numpy as np

from analysis.metrics.alignment import mean_over_episodes
from analysis.metrics.ranking import difference
from analysis.metrics.transfer import cosine
from experiments.prompt_text.settings import PromptText
from lab.errors import ConfigError
from lab.layouts.merged import TokenLayout
from lab.learners.decoder import Decoder
from lab.learners.descent import GradientDescent
from lab.learners.learner import Learner, predict
from lab.learners.prompt_text import Inverted, Prefixed, shrunk
from lab.learners.ridge import Ridge
from lab.runs import console
from lab.runs.memory import enough_memory
from tasks.catalogue import TASKS
from tasks.ranking import METRICS
from tasks.recommend import Recommend
from trainers.blocks import in_blocks, number_of_blocks
from trainers.recipe import Recipe
from trainers.recommenders import trained
from trainers.record import Record
from trainers.train import train

TEST, CHOICE, PREFIX = 6, 7, 8  # folded into the key of a seed; `trainers.recipe.Stream` has the numbers below
PLAIN, SHRUNK, CHOSEN = "plain", "shrunk", "shrunk_chosen"
SCORE = "ndcg_10"
NOTE = (
    "LRGD: no counterpart in tokens have a regularising text that a language model writes, its reflections on choices, "
    "and lists that are written item by item."
)


def check(settings: PromptText) -> None:
    """
    Raises:
        ConfigError: the task's queries have no slate.
    """
    if not issubclass(TASKS[settings.task.name], Recommend):
        raise ConfigError(f"task={settings.task.name}: it has no slates to rank; allowed: recommend")


def run(records: Sequence[Record]) -> None:
    """Write the tables `text` and `likeness`, headline numbers, and as a note what cannot be done to tokens.

    Raises:
        UserError: a directory cannot be written, or the device has too little memory.
    """
    for record in records:
        settings: PromptText = record.settings
        text, likeness = [], []
        blocks = 2 * settings.seeds * number_of_blocks(settings.users, settings.chunk)
        with console.counting_bar("measuring", blocks) as advance, enough_memory("lower chunk"):
            for seed in range(settings.seed, settings.seed + settings.seeds):
                of_text, of_likeness = of_seed(settings, seed, advance)
                text += [{"seed": seed} | row for row in of_text]
                likeness += [{"seed": seed} | row for row in of_likeness]
        record.table("text", text)
        record.table("likeness", likeness)
        record.numbers(numbers(text))
        record.note(NOTE)


def of_seed(settings: PromptText, seed: int, advance: Callable) -> tuple[list[dict], list[dict]]:
    """Rows of `text` and of `likeness`."""
    (task,) = TASKS[settings.task.name].together([settings.task])
    key = jax.random.key(seed)
    test = dataclasses.replace(
        task,
        num_context=settings.examples,
        num_queries=settings.queries,
        contamination=settings.contamination,
        any_count=False,
    )
    layout = TokenLayout.of(task)
    decoder = trained(settings.model, settings.train, task, key)
    learners = operations(settings, decoder, test, jax.random.fold_in(key, PREFIX))
    others = {"descent": GradientDescent(layout, 1.0), "ridge": Ridge(layout, settings.penalty)}

    def measured(stream: int) -> dict:
        def block(key: jax.Array) -> dict:
            return measure(learners, others, test, key, settings.chunk)

        return in_blocks(block, jax.random.fold_in(key, stream), settings.users, settings.chunk, advance)

    at_test, at_choice = measured(TEST), measured(CHOICE)
    return text_rows(settings, at_test["scores"], at_choice["scores"]), likeness_rows(at_test["likeness"])


def shrunk_name(alpha: float) -> str:
    return f"{SHRUNK}_{alpha:g}"


def operations(settings: PromptText, decoder: Decoder, test: Recommend, key: jax.Array) -> dict[str, Learner]:
    """{operation: the decoder after it}. The prefix is trained on prompts like those of the test; the same untrained is
    its control."""
    prefix = Prefixed(decoder, settings.prefix_tokens, key)
    recipe = Recipe.of(settings.prefix, decoder.shape.num_layers)
    return {
        PLAIN: decoder,
        **{shrunk_name(alpha): shrunk(decoder, alpha) for alpha in settings.alpha},
        "inverse": Inverted(decoder),
        "prefix": train(prefix, test, recipe, key)[0],
        "prefix_untrained": prefix,
    }


@functools.partial(jax.jit, static_argnames=("count",))
def measure(
    learners: Mapping[str, Learner], others: Mapping[str, Learner], task: Recommend, key: jax.Array, count: int
) -> dict:
    """Of `count` users: {"scores": {operation: {measure: (B,)}}}, means over queries, and how much the plain decoder is
    {"likeness": {other learner: {"cosine" of the answers, "same_top" item of the slate}}}."""
    episodes = task.sample(key, count)

    def top(answers_BxQxY: jax.Array) -> jax.Array:
        scores_BxQxS = jax.vmap(lambda slate, answers: slate.scores(answers))(episodes.target, answers_BxQxY)
        return jnp.argmax(scores_BxQxS, axis=-1)

    def scores(learner: Learner) -> dict[str, jax.Array]:
        each = jax.vmap(task.scores)(predict(learner, episodes.prompt), episodes.target)
        return {name: jnp.mean(each[name], axis=-1) for name in METRICS}

    plain = predict(learners[PLAIN], episodes.prompt)
    likeness = {}
    for name, learner in others.items():
        answers = predict(learner, episodes.prompt)
        same = top(plain) == top(answers)
        likeness[name] = {
            "cosine": jnp.mean(cosine(plain, answers), axis=-1),
            "same_top": jnp.mean(same.astype(plain.dtype), axis=-1),
        }
    return {"scores": {name: scores(learner) for name, learner in learners.items()}, "likeness": likeness}


def text_rows(settings: PromptText, test: dict, choice: dict) -> list[dict]:
    """One row per operation: measures on the test users, and `gain`, nDCG@10 minus that of the plain decoder there. The
    chosen alpha is the best on as many other users."""
    alphas = {shrunk_name(alpha): alpha for alpha in settings.alpha}
    best = max(alphas, key=lambda name: np.mean(choice[name][SCORE], dtype=np.float64))
    names = [PLAIN, *alphas, *(name for name in test if name not in alphas and name != PLAIN)]
    rows = []
    for name, source in [*((name, name) for name in names), (CHOSEN, best)]:
        row = {"operation": SHRUNK if name in alphas else name, "alpha": alphas.get(source, "")}
        for metric in METRICS:
            row |= mean_over_episodes(metric, test[source][metric])
        rows.append(row | difference("gain", test[source][SCORE], test[PLAIN][SCORE]))
    return rows


def likeness_rows(likeness: dict) -> list[dict]:
    """One row per learner that the plain decoder is compared with."""
    return [
        {"learner": name}
        | mean_over_episodes("cosine", each["cosine"])
        | mean_over_episodes("same_top", each["same_top"])
        for name, each in likeness.items()
    ]


def numbers(rows: list[dict]) -> dict[str, float]:
    """Mean over seeds of each operation's nDCG@10, of shrinking with the chosen alpha."""
    names = dict.fromkeys(row["operation"] for row in rows if row["operation"] != SHRUNK)
    return {
        f"{SCORE}.{name}": float(np.mean([row[SCORE] for row in rows if row["operation"] == name])) for name in names
    }
