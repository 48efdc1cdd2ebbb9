"""The results of learning in context beside fine-tuning [DAI]: columns, and claims judged over seeds of decoders.

Decoders and a language model are two subjects of one study, and `language_finetune` has its own claims. A seed is a
decoder, or a set of demonstrations. Where fine-tuning puts nothing right there is no Rec2FTP, and where it diverged no
measure at all; such seeds are left out. Dai et al. measure the updates of attention's output, attention maps and the
order of attention, too. These sections are in the paper, and not in the abridged text that the others are cited from.
"""

from analysis.figures.cited import Work, own, said, stronger
from analysis.figures.controls import Control
from analysis.results.column import Column, Headline
from analysis.results.declared import claim
from analysis.results.quantity import Bounds

ACCURACY, TRANSFER, RATES = "accuracy", "transfer", "rates"  # tables
TABLES = (ACCURACY, TRANSFER, RATES)
SEED, MODEL, SCHEDULE = "seed", "model", "schedule"  # trained or untrained; of fine-tuning, one_epoch or full_batch
LEARNER, MEASURE, LAYER, ARM, RATE, CHOSEN = "learner", "measure", "layer", "arm", "rate", "chosen"
STDERR, COUNT = "stderr", "count"  # of transfer.csv: the error over episodes; the queries that the value is a share of
ARMS = ("fine_tuned", "other", "shuffled")  # tuned on the same examples, on others, on the same with labels permuted
PAIRED = {  # {(measure, name of its difference): the arm that is subtracted from `fine_tuned`}
    ("sim_aou", "difference"): "other",
    ("sim_aou_centred", "difference"): "other",
    ("sim_am", "rise"): "zero_shot",
}
accuracy = Column(ACCURACY, "accuracy", "accuracy", "Share of test queries answered right.", LEARNER, sparse=True)
rate = Column(ACCURACY, RATE, "rate", "The rate of a fine-tuning.", LEARNER)
chosen = Column(RATES, CHOSEN, "chosen", "1 for the rate that is the most accurate on other queries, else 0.", RATE)
validated = Column(RATES, "accuracy", "accuracy", "Accuracy after fine-tuning, on other queries.", RATE)
of_rate = Column(RATES, "sim_aou", "SimAOU", "Similarity of attention's updates at a rate, mean over layers.", RATE)
of_rate_centred = Column(RATES, "sim_aou_centred", "SimAOU, centred", "The same of centred updates.", RATE)
VALUE = "value"  # of transfer.csv: empty where it is no number, such as a share of nothing


def measure(name: str, label: str, sentence: str) -> Column:
    """Return a measure of transfer.csv, whose numbers are by arm."""
    return Column(TRANSFER, VALUE, label, sentence, ARM, implied=((MEASURE, name),), sparse=True)


rec2ftp = measure("rec2ftp", "Rec2FTP", "Share of what fine-tuning puts right that is right in context.")
lift = measure("lift", "Rec2FTP - its null", "What Rec2FTP is above the share that is right in context anyway, or "
                "with fine-tuning on other examples.")  # fmt: skip
sim_aou = measure("sim_aou", "SimAOU", "Cosine of the updates of attention's output, in context and by fine-tuning.")
sim_aou_centred = measure("sim_aou_centred", "SimAOU, centred", "The same without the update that all queries share.")
sim_am = measure("sim_am", "SimAM", "Cosine of attention maps in context and after fine-tuning, before the softmax.")
kendall = measure("kendall", "Kendall's tau", "Agreement of the orders in which examples are attended to.")
MEASURES = {  # titles of panels
    "sim_aou": "SimAOU",
    "sim_aou_centred": "SimAOU, centred",
    "sim_am": "SimAM with in-context learning",
    "kendall": "Kendall's tau",
}
WORDS = {"zero_shot": "zero-shot", "fine_tuned": "fine-tuned", "in_context": "in context"}
NULLS = {"fine_tuned": "agreement", "per_episode": "agreement by chance", "other": "agreement, other examples"}
MOST = 0.5  # of what fine-tuning puts right
RISE = 0.01  # of SimAM, whose scale is 1
NONE = 0.05  # a cosine that counts as none
TRAINED, UNTRAINED = ({MODEL: model, SCHEDULE: "one_epoch"} for model in ("trained", "untrained"))


def rises(sim_am: Column) -> Bounds:
    """Return the bound of maps that are more like the fine-tuned than the zero-shot model's, above the first layer.

    The first layer's inputs do not see the context, so that its map is the zero-shot one, but for positions.
    """
    return sim_am.along(LAYER, "rise").after(1).mean() > RISE


def headlines(accuracy: Column, rec2ftp: Column, lift: Column) -> tuple[Headline, ...]:
    """Return the headline numbers of every subject."""
    return (
        *(Headline(f"accuracy.{name}", f"accuracy, {words}", accuracy.sentence, accuracy[name])
          for name, words in WORDS.items()),
        *(Headline(f"rec2ftp.{arm}", words, rec2ftp.sentence, rec2ftp[arm]) for arm, words in NULLS.items()),
        *(Headline(f"lift.{arm}", f"agreement above {words}", lift.sentence, lift[arm])
          for arm, words in (("per_episode", "chance"), ("other", "other examples"))),
    )  # fmt: skip


right, gained = accuracy.where(**TRAINED), lift.where(**TRAINED)
HEADLINES = headlines(right, rec2ftp.where(**TRAINED), gained)
ANSWER = (
    "the decoder is right in {accuracy.zero_shot} of the queries zero-shot, {accuracy.fine_tuned} after one epoch of "
    "fine-tuning and {accuracy.in_context} in context",
    "of what fine-tuning puts right, in-context learning gets {rec2ftp.fine_tuned} right, which differs from the share "
    "that it gets right anyway by {lift.per_episode}",
)

DAI_AOU = "derived here from SimAOU of Dai et al."
by_tuning, of_untrained = (
    accuracy.where(**where)["fine_tuned"] - accuracy.where(**where)["zero_shot"] for where in (TRAINED, UNTRAINED)
)

CONTROLS = (Control("the decoders learn in context", right["in_context"] - right["zero_shot"] > 0),)
CLAIMS = (
    claim(
        "Fine-tuning on the examples helps, and learning in context helps more.",
        said(Work.DAI, "experiments, table of validation accuracies"),
        (by_tuning > 0) & (right["in_context"] - right["fine_tuned"] > 0),
        "as in eleven of the twelve columns of the source's table",
    ),
    claim(
        "In-context learning gets right most of what fine-tuning gets right, and more often than it is right anyway.",
        stronger(Work.DAI, "experiments, table of Rec2FTP (.86 and .89)"),
        (rec2ftp.where(**TRAINED)["fine_tuned"] > MOST) & (gained["per_episode"] > 0) & (gained["other"] > 0),
        "its nulls are P(in context right | zero-shot wrong) of the same episodes, and Rec2FTP with fine-tuning on "
        "another episode's examples",
    ),
    claim(
        "Fine-tuning on the same examples moves attention's output more as in-context learning does than fine-tuning "
        "on others, once the update that all queries share is taken off.",
        own(DAI_AOU),
        sim_aou_centred.where(**TRAINED).along(LAYER, "difference") > 0,
    ),
    claim(
        "In an untrained model fine-tuning on the same examples moves attention's output no more as in-context "
        "learning does than fine-tuning on others.",
        own(DAI_AOU),
        sim_aou_centred.where(**UNTRAINED).along(LAYER, "difference").within(NONE),
        controls=(),
    ),
    claim(
        "In-context learning attends as the fine-tuned model does, and less as the zero-shot model does.",
        stronger(Work.DAI, "the paper's section on SimAM"),
        rises(sim_am.where(**TRAINED)),
        "the rise is SimAM with the fine-tuned model minus that with the zero-shot model",
    ),
    claim(
        "Fine-tuning gains more in a decoder that has learned nothing before.",
        own("derived here: what a decoder has learned of its prototypes it answers zero-shot"),
        of_untrained - by_tuning > 0,
        controls=(),
    ),
)
