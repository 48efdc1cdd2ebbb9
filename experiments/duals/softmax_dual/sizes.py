"""The sizes of `softmax_dual`: random features of attention's kernel, by their number."""

from experiments.duals.softmax_dual.settings import SoftmaxDual
from lab.config import work
from lab.config.sizes import Sizes

MAPS, SAMPLERS = 3, 2  # of features and of frequencies
DOUBLE = 8  # bytes


def sizes(settings: SoftmaxDual) -> Sizes:
    """Return the sizes of a run, beyond those of the decoders that it starts from."""
    seeds, errors, path, variances = settings.seeds, settings.errors, settings.path, settings.variances
    kinds = MAPS * SAMPLERS
    kernel = seeds * errors.problems * (errors.tokens + 1) * (errors.width + work.EXPONENTIAL)
    steps = path.instructions + path.demonstrations
    paths = 4 * seeds * path.problems * steps * path.features * (path.width + path.output_dim * steps)
    drawing = kinds * seeds * variances.draws * len(variances.norms) * len(variances.cosines) * work.DRAW
    memory: dict[str, float] = {
        "the features of all problems": 2 * work.FLOAT * seeds * errors.problems * errors.tokens * max(errors.features),
        "the paths": 3 * DOUBLE * seeds * path.problems * steps * path.features * (1 + path.output_dim),
        "the estimates": 4 * DOUBLE * variances.draws * 4,
    }
    operations: dict[str, float] = {
        "errors": kinds * len(errors.norms) * sum(errors.features) * kernel,
        "paths": paths,
        "variances": drawing,
    }
    silent: dict[str, float] = {
        "errors": len(errors.norms) * max(errors.features) * kernel,
        "paths": paths,
        "variances": drawing,
    }
    if settings.replaced.features:
        maker = work.maker_of(settings.command)
        tokens, replaced = work.tokens_of(maker.model, maker.task), settings.replaced
        heads = maker.model.num_layers * maker.model.num_heads
        head = 2 * maker.model.width / maker.model.num_heads
        one = heads * tokens * (head + work.EXPONENTIAL) * settings.eval.episodes
        operations["replaced"] = settings.replaced.seeds * kinds * seeds * sum(replaced.features) * one
        silent["replaced"] = max(replaced.features) * one
        memory["the features of decoders"] = (
            3 * work.FLOAT * settings.eval.episodes * tokens * maker.model.num_heads * max(replaced.features)
        )
    return Sizes(memory, operations, silent, seconds=40)
