"""Settings that are one of a few named values. No JAX here, so that the command line can list them at once."""

import enum


class Injection(enum.Enum):
    """The ways in which the documents of an episode enter a Transformer's K and V."""

    none = "none"  # not at all
    pooled = "pooled"  # one row, their mean [RAG-GD]
    each = "each"  # one row per document


class Features(enum.Enum):
    """The features of an input f that attention, and the gradient descent it is compared with, work on."""

    inputs = "inputs"  # f
    residual = "residual"  # f + MLP(f)
    mlp = "mlp"  # MLP(f)


class Optimizer(enum.Enum):
    """The optimizers of `trainers/meta.py`."""

    adam = "adam"
    adamw = "adamw"  # Adam with weight decay
    muon = "muon"


class Until(enum.Enum):
    """The tests by which a training stops before its last step (`trainers/early_stopping.py`)."""

    flat = "flat"  # the loss has not fallen while the number of steps doubled
    optimal = "optimal"  # the loss is near the optimal answer's


class Platform(enum.Enum):
    """The kind of device that a run requires; none: any."""

    none = "none"
    cpu = "cpu"
    gpu = "gpu"
    tpu = "tpu"


class Precision(enum.Enum):
    """The precision of products of float32 matrices on an accelerator. A CPU always computes in float32."""

    highest = "highest"  # float32
    high = "high"  # 3 passes of bfloat16, or TF32
    default = "default"  # the device's default, 1 pass of bfloat16 or TF32


class Style(enum.Enum):
    """The forms in which figures are drawn. Figures for a paper are drawn in addition to figures for screens."""

    screen = "screen"
    paper = "paper"  # one or two columns wide, letters of eight points, as PDF and PNG with the caption as LaTeX


class Tracker(enum.Enum):
    """The tools that record a run in addition to metrics.jsonl; all in `lab/runs/tracker.py`."""

    none = "none"
    tensorboard = "tensorboard"
    wandb = "wandb"  # offline


class Stage(enum.Enum):
    """The part of a sweep that this process does."""

    all = "all"
    train = "train"  # run one of the sweep's programs
    gather = "gather"  # write tables and figure of the finished points


class Position(enum.Enum):
    """The position encodings of a decoder; a file each in `lab/attention/positions/`."""

    none = "none"  # the causal mask alone shows the order
    learned = "learned"  # a trained vector per position
    rope = "rope"  # queries and keys are rotated by their position
    alibi = "alibi"  # scores fall linearly with the distance


class AttentionKind(enum.Enum):
    """The attention of a decoder's heads; a file each in `lab/attention/`."""

    softmax = "softmax"
    linear = "linear"


class SequenceKind(enum.Enum):
    """The ways in which examples become a decoder's tokens; a file each in `lab/layouts/`."""

    merged = "merged"  # one token (x, y) per example
    interleaved = "interleaved"  # x, then y


class Topic(enum.Enum):
    """Groups of identities between attention and gradient descent; a file each in `experiments/duals/dual_form/`."""

    linear = "linear"  # linear attention
    softmax = "softmax"  # softmax attention as one gradient step
    passes = "passes"  # softmax attention as many gradient steps
    generation = "generation"  # softmax attention while tokens are generated
    regularizers = "regularizers"  # with further terms in the loss
    layers = "layers"  # followed by an MLP or a layer norm
    transformer = "transformer"  # with positions, grouped queries, several layers


class StreamScheme(enum.Enum):
    """The attention masks, positions and resets of a decoder of click streams whose prompts have several targets.

    Each is a row of `lab.learners.stream_schemes`. A [SUM] is the token at which a target is answered.
    """

    naive = "naive"  # a window of n interactions in every layer; a [SUM] counts as a position
    no_id = "no_id"  # as naive, but a [SUM] does not count as a position
    alibi = "alibi"  # as no_id, but a [SUM] has no position itself: its scores depend on the distance alone
    literal = "literal"  # as alibi, but the keys that a [SUM] sees keep their rotation
    reset = "reset"  # as naive, but states of distant interactions are moved back to their embeddings
    dti = "dti"  # alibi and reset together: the two remedies of the source
    reset_last = "reset_last"  # dti with the reset in the last layer and for [SUM]s alone
    own = "own"  # as no_id, but states are moved back to the states of an interaction that is seen alone
    local = "local"  # as no_id, but tokens see their own interaction alone and [SUM]s a window
    split = "split"  # as no_id, with windows that add up to n over the layers
    full = "full"  # as naive, without a window


class Recommender(enum.Enum):
    """The learners that answer prompts of demonstrations; rows of its kind's learners.py."""

    descent = "descent"  # one step of gradient descent
    ridge = "ridge"  # ridge regression
    decoder = "decoder"  # a causal Transformer, trained first


class Split(enum.Enum):
    """The ways to split a log of items into training and test."""

    leave_one_out = "leave_one_out"  # the test has the last item of every user
    global_time = "global_time"  # the test has all items after one point in time, the same for all users


class SearchMethod(enum.Enum):
    """Searches for demonstrations in a user's past; a row each in the kind's searched.py."""

    one_path = "one_path"  # one search
    three_paths = "three_paths"  # three searches; a collapsed one gets the set of another


class Baseline(enum.Enum):
    """The predictors that a decoder of functions is compared with; a row each in `experiments/functions/functions/`."""

    least_squares = "least_squares"
    ridge = "ridge"  # with the variance of the noise as its penalty
    averaging = "averaging"
    nearest = "nearest"  # 3 neighbours
    lasso = "lasso"
    posterior = "posterior"  # for labels: the Bayes-optimal answer, by sampling
    prompt_network = "prompt_network"  # several networks trained on the prompt; the best one on other episodes counts
    greedy_tree = "greedy_tree"  # by scikit-learn, on the host
    tree_boosting = "tree_boosting"  # by scikit-learn, on the host
    sign_tree = "sign_tree"  # a greedy tree that is given the signs of the inputs
    sign_boosting = "sign_boosting"  # boosting that is given the signs of the inputs


class LayerKind(enum.Enum):
    """The kinds of layer of the Transformer that is compared with gradient descent; a file each in `lab/learners/`."""

    linear = "linear"  # linear self-attention
    softmax = "softmax"  # softmax self-attention
    layer_norm = "layer_norm"  # linear self-attention of layer-normalised tokens
    momentum = "momentum"  # linear self-attention plus a moving average of the values


class Dtype(enum.Enum):
    """The types in which a language model's weights are kept and multiplied."""

    float32 = "float32"
    bfloat16 = "bfloat16"
