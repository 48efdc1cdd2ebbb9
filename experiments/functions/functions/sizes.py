"""The sizes of `functions`: its training, and predictors that are fitted to every prompt, after each example."""

from experiments.functions.functions.settings import Functions
from lab.config import work
from lab.config.choices import Baseline
from lab.config.sizes import Sizes
from tasks.settings import DecisionTree, SparseLinear

LASSO = 12  # steps of the Lasso's path per coordinate, with each penalty and on two sets of episodes
SOLVE = 2000  # multiply-adds that a call of a solver is worth, beside its own
HOST = 2e7  # multiply-adds that one fit of a tree on the host is worth
LISTED = 5e5  # of the Bayes-optimal answer after one number of examples, where all trees or sets of inputs are listed


def sizes(settings: Functions) -> Sizes:
    """Return the sizes of a run."""
    task, model, baselines, seeds = settings.task, settings.model, settings.baselines, settings.seeds
    count, inputs = task.num_context, getattr(task, "input_dim", 1)
    slow = min(baselines.episodes, settings.eval.episodes)
    # One per rate, and as many and one more for that which the prompt chooses; on two sets of episodes.
    networks = 2 * (2 * len(baselines.network_learning_rates) + 1)
    network = work.BACKWARD * count * inputs * baselines.network_hidden
    of_prompt = {  # multiply-adds of a prompt after one number of its examples
        Baseline.lasso: len(baselines.lasso_penalties) * LASSO * inputs * (inputs**3 + SOLVE),
        Baseline.posterior: baselines.samples * count * inputs * 2,
        Baseline.prompt_network: networks * baselines.network_steps * network,
        Baseline.greedy_tree: HOST,
        Baseline.tree_boosting: HOST,
        Baseline.sign_tree: HOST,
        Baseline.sign_boosting: HOST,
    }
    listed = LISTED * isinstance(task, DecisionTree | SparseLinear)
    fast = settings.eval.episodes * count * (count * inputs**2 + inputs**3 + listed)
    fitted = sum(slow * count / baselines.every * of_prompt.get(name, 0.0) for name in baselines.names)
    one = work.forward(model, work.tokens_of(model, task), work.width_of(task))
    chunk = min(settings.eval.episodes, work.ANSWERED)
    return work.decoder_sizes(settings).plus(
        in_turn={
            "the test of a decoder": settings.eval.episodes * (3 * work.episode_bytes(task) + 8 * count)
            + chunk * work.answering(model, work.tokens_of(model, task)),
        },
        operations={"the decoder's test": seeds * settings.eval.episodes * one, "baselines": seeds * (fast + fitted)},
        silent={"a baseline": max(fast, *(slow * count * of_prompt.get(name, 0.0) for name in baselines.names), 0.0)},
    )
