"""Settings with a few named values. No JAX here, so that the command line can list them at once."""

import enum


class Injection(enum.Enum):
    """How the documents of an episode enter a Transformer's K and V."""

    none = "none"  # not at all
    pooled = "pooled"  # one row, of their mean [RAG-GD]
    each = "each"  # one row a document


class Features(enum.Enum):
    """What attention, and gradient descent beside it, sees of an input f."""

    inputs = "inputs"  # f
    residual = "residual"  # f + MLP(f)
    mlp = "mlp"  # MLP(f)


class Optimizer(enum.Enum):
    """What turns gradients into updates, in `trainers/optimizers.py`."""

    adam = "adam"
    adamw = "adamw"  # with decay of weights
    muon = "muon"


class Platform(enum.Enum):
    """The kind of device that a run insists on."""

    none = "none"
    cpu = "cpu"
    gpu = "gpu"
    tpu = "tpu"


class Precision(enum.Enum):
    """Of products of float32 matrices on an accelerator; a CPU's are always float32."""

    highest = "highest"  # float32
    high = "high"  # 3 passes of bfloat16, or TF32
    default = "default"  # the device's own, 1 pass of bfloat16 or TF32


class Tracker(enum.Enum):
    """Whose record of a run is written beside metrics.jsonl: a file each in `lab/runs/trackers/`."""

    none = "none"
    tensorboard = "tensorboard"
    wandb = "wandb"  # offline


class Stage(enum.Enum):
    """Which part of a sweep a process does."""

    all = "all"
    train = "train"  # one of its programs
    gather = "gather"  # tables and figure of the points that are done


class Position(enum.Enum):
    """How a decoder knows the order of tokens: a file each in `lab/attention/positions/`."""

    none = "none"  # by its causal mask alone
    learned = "learned"  # a trained vector per position
    rope = "rope"  # queries and keys turn with their position
    alibi = "alibi"  # scores fall with the distance


class AttentionKind(enum.Enum):
    """What a decoder's heads do with scores: a file each in `lab/attention/`."""

    softmax = "softmax"
    linear = "linear"


class SequenceKind(enum.Enum):
    """How examples become a decoder's tokens: a file each in `lab/layouts/`."""

    merged = "merged"  # one token (x, y) per example
    interleaved = "interleaved"  # x, then y


class Topic(enum.Enum):
    """Of identities between attention and gradient descent: a file each in `trainers/experiments/dual_form/`."""

    linear = "linear"  # linear attention
    softmax = "softmax"  # softmax attention as one step
    passes = "passes"  # as many steps
    regularizers = "regularizers"  # with further terms in the loss
    layers = "layers"  # with an MLP or a layer norm behind it
    transformer = "transformer"  # with positions, grouped queries, several layers


class StreamScheme(enum.Enum):
    """How a decoder of click streams sees a prompt of several targets: a row each of `lab.learners.stream_schemes`."""

    naive = "naive"  # a window of n in every layer; a [SUM] counts as a position
    no_id = "no_id"  # the same, and it does not count
    alibi = "alibi"  # nor does it have one: it sees by distance alone
    literal = "literal"  # the same, but the keys that it sees keep their rotation
    reset = "reset"  # naive, and states of far interactions are drawn back to their embeddings
    dti = "dti"  # alibi and reset, the source's two remedies
    reset_last = "reset_last"  # dti, in the last layer and for [SUM]s alone
    reset_train = "reset_train"  # dti, in training alone
    own = "own"  # no_id, drawn back to what an interaction is by itself
    local = "local"  # no_id; tokens see their own interaction alone, [SUM]s a window
    split = "split"  # no_id; windows that add up to n over the layers
    full = "full"  # naive without a window


class Recommender(enum.Enum):
    """What answers prompts of demonstrations: rows of `experiments/demonstrations/learners.py`."""

    descent = "descent"  # one step of gradient descent
    ridge = "ridge"  # ridge regression
    decoder = "decoder"  # a causal Transformer, trained first


class Split(enum.Enum):
    """What of a log of items is for training and what for the test."""

    leave_one_out = "leave_one_out"  # the last item of every user is for the test
    global_time = "global_time"  # what was taken after a moment that is the same for all users


class Baseline(enum.Enum):
    """What a decoder that learns functions is compared with: a row each in `trainers/experiments/functions/`."""

    least_squares = "least_squares"
    ridge = "ridge"  # at the variance of the noise
    averaging = "averaging"
    nearest = "nearest"  # 3 neighbours
    lasso = "lasso"
    posterior = "posterior"  # of labels: the Bayes-optimal answer, by sampling
    prompt_network = "prompt_network"  # two layers, trained on the prompt by Adam
    greedy_tree = "greedy_tree"  # scikit-learn's, on the host
    tree_boosting = "tree_boosting"  # scikit-learn's, on the host


class LayerKind(enum.Enum):
    """What a layer of the Transformer of a comparison does: a file each in `lab/learners/`."""

    linear = "linear"  # linear self-attention
    softmax = "softmax"  # softmax self-attention
    layer_norm = "layer_norm"  # linear self-attention of layer-normalised tokens
    momentum = "momentum"  # linear self-attention and a moving average of the values
