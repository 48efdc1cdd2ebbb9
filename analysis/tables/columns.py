"""Tables that several kinds write or that shared figures read, and their columns. No JAX here: figures read them.

A sweep's tables have further columns in front, the places of its points. Columns whose name contains a learner's name
are described in the class's docstring.
"""

from enum import StrEnum


class Table(StrEnum):
    POINTS = "points"
    CURVES = "curves"
    SEEDS = "seeds"
    BY_EXAMPLES = "by_examples"
    CLICKS = "clicks"
    SPENT = "spent"
    LEARNERS = "learners"
    ALIGNMENT = "alignment"
    LAYERS = "layers"
    SHIFT = "shift"
    WEIGHTS = "weights"  # columns: `analysis.metrics.columns`
    PREDICTIONS = "predictions"  # likewise
    LINEAR_PATH = "linear_path"
    CLUSTERS = "clusters"
    BLOCKS = "blocks"
    DIVERGED = "diverged"


class Points(StrEnum):
    """Columns of points.csv: one row per point of a sweep, with its place, its settings and its numbers."""

    POINT = "point"
    RUN = "run"  # its directory, relative to the parent folder of the sweep's
    STATE = "state"  # done or failed
    REFERENCE = "reference"  # of a comparison: the learner that the Transformer is compared with


class Curves(StrEnum):
    """Columns of curves.csv: one row per evaluation in training and seed.

    Further columns: `train_loss.LEARNER`, the mean training loss since the last row, which is empty at step 0; of real
    tables `train_jump.LEARNER`, the largest ratio of a batch's loss to that of the batch before since the last row,
    which is empty where there are not two batches; `loss.LEARNER`; of comparisons `LEARNER.METRIC`, the alignment; of
    decoders `SCORE.LEARNER`.
    """

    STEP = "step"
    SEED = "seed"


class Diverged(StrEnum):
    """Columns of diverged.csv: one row per seed whose training diverged, which no other table has.

    A run writes it as soon as a seed has diverged. A sweep's has the rows of all its points, also of those that failed
    because every seed diverged.
    """

    SEED = "seed"
    STEP = "step"  # of the training: the first at which a loss was no finite number, or was far above the first loss
    WHY = "why"


class Statistic(StrEnum):
    """Columns of one number: its mean over the seeds of a run, with error and spread."""

    MEAN = "mean"
    STDERR = "stderr"  # of one seed: over its episodes; of several: from their spread
    SPREAD = "spread"  # standard deviation over several seeds
    LEFT_OUT = "left_out"  # number of episodes, of all seeds, without a value


class Seeds(StrEnum):
    """Columns of seeds.csv of a comparison: one row per evaluation, learner and seed.

    Claims are judged on these rows, as only seeds are independent. Further columns: the metrics of the trained
    Transformer's alignment with the learner (`analysis.metrics.columns.Metric`), and where it is not 0 `NUMBER.common`,
    the error of a number that all seeds have in common.
    """

    SEED = "seed"
    EVALUATION = "evaluation"  # "test", a shift as 'alpha=0.5', or "train": on training rows of a table
    LEARNER = "learner"
    LOSS = "loss"


class Clusters(StrEnum):
    """Columns of clusters.csv of a comparison on a table: one row per evaluation, learner and cluster of test rows.

    All seeds and all runs on a data set draw their test episodes from the same test rows. The error from the choice of
    these rows is the error of sums over clusters of rows. Further columns: the part of the cluster in each number of
    seeds.csv, a mean over seeds. Differences of such parts give the error of a difference between runs.
    """

    EVALUATION = "evaluation"
    LEARNER = "learner"
    TEST_ROWS = "test_rows"  # the data set whose rows they are; 'NAME, training rows' of training rows
    CLUSTER = "cluster"


class Blocks(StrEnum):
    """Columns of blocks.csv of a comparison of one seed on a synthetic task: one row per block of test episodes.

    Further columns: by the name of each number of the summary the part of the block in it. Two runs on the same
    episodes are paired by the differences of such parts.
    """

    BLOCK = "block"


class Learners(StrEnum):
    """Columns of learners.csv: one row per learner, with the statistics of its loss (`Statistic`)."""

    LEARNER = "learner"


class Alignment(StrEnum):
    """Columns of alignment.csv: one row per learner and metric, with the metric's statistics (`Statistic`)."""

    LEARNER = "learner"  # the compared learner, if there are learners of the user's own; else it is the Transformer
    WITH = "with"  # the learner that it is compared with
    METRIC = "metric"


class Layers(StrEnum):
    """Columns of layers.csv: one row per learner and layer, with the statistics of the loss there (`Statistic`)."""

    LEARNER = "learner"
    LAYER = "layer"  # from 1; of descents the step


class Shift(StrEnum):
    """Columns of shift.csv: one row per shift and learner, with the statistics of its loss there (`Statistic`), and of
    the trained Transformer's alignment with it: `METRIC`, `METRIC.stderr`, `METRIC.spread`."""

    SHIFT = "shift"  # the axis
    VALUE = "value"
    LEARNER = "learner"


class LinearPath(StrEnum):
    """Columns of linear_path.csv: one row per point between the trained and the constructed Transformer.

    `.stderr` of both numbers is the error over episodes.
    """

    WEIGHT = "weight"  # of the constructed one
    EPISODES = "episodes"  # how many
    LOSS = "loss"
    ABOVE_TRAINED = "above_trained"  # the loss minus the trained one's on the same episodes


class ByExamples(StrEnum):
    """Columns of by_examples.csv: one row per number of examples and learner, with means over seeds; and of seeds.csv
    of the kinds that write both: one row per number of examples, learner and seed.

    Of a decoder's task there are columns for its scores, and `SCORE_excess` for the decoder's minus the optimal one.
    `.stderr` is over seeds in the first table, over the episodes of the seed in the second.
    """

    SEED = "seed"
    EXAMPLES = "examples"  # the number of examples before the answer
    LEARNER = "learner"
    ERROR = "error"  # of classes of functions: the loss over the loss of the answer 0
    DISTANCE = "distance"  # likewise, squared, of the answers from the exact Bayes answer, where that is known


class Rounds(StrEnum):
    """Columns of rounds.csv: one row per seed, number of validation queries, search for demonstrations and round.

    Numbers are means over users, of the path that is best on validation or, of the last two columns, over all paths.
    Further columns: the other measures of `tasks.ranking`.
    """

    METHOD = "method"  # the search
    ROUND = "round"  # from 1 on
    NDCG_10 = "ndcg_10"  # of the path's prompt on the test queries
    EFFECT = "effect"  # Effect_D, as above
    VALIDATION = "validation"  # Effect_D on the validation queries
    EXAMPLES = "examples"  # demonstrations of that prompt
    SIMILARITY = "similarity"  # of a path's set with its set in the round before
    COLLAPSED = "collapsed"  # share of the paths whose similarity is above the threshold
