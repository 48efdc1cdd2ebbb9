"""The results of fine-tuning a language model: what `icl_vs_finetune` has not, and its claims.

A seed belongs to a set of demonstrations. A column NUMBER has the mean over the test rows; NUMBER.common is the
standard error of the mean over sets that comes from these rows, which all sets share
(`experiments.demonstrations.two_way`).
"""

from analysis.figures.cited import Work, said, stronger
from analysis.figures.controls import Control
from analysis.results.column import Column, Headline
from analysis.results.declared import claim
from analysis.results.quantity import Quantity
from experiments.demonstrations.icl_vs_finetune import results as study

ORDER = "order"  # the table with one row per set of demonstrations and way
WAY, ORDERS = "way", "orders"  # its first columns; the number of orders is as many as there are, where they are few
CONTEXT, SGD, FULL_BATCH = "in_context", "sgd", "full_batch"  # ways
CAUSAL, UNTRAINED = "layer_causal", "untrained"  # arms: another descent; all of it with random weights
ARMS = (*study.ARMS, CAUSAL)
PUBLISHED = "published"  # the table with one row per number that the source printed, beside this run's
TABLES = (*study.TABLES, ORDER, PUBLISHED)
DATA_SET, NUMBER = "data_set", "number"  # its first columns
NUMBERS = ("accuracy.zero_shot", "accuracy.fine_tuned", "accuracy.in_context", "rec2ftp")
gain = Column(study.ACCURACY, "gain", "accuracy - zero-shot", "Paired row by row.", study.LEARNER, sparse=True)
shortfall = Column(
    study.ACCURACY, "behind", "accuracy in context - this", "Paired row by row.", study.LEARNER, sparse=True
)
loss = Column(
    study.ACCURACY, "loss", "loss", "Cross-entropy of the right answer among a query's.", study.LEARNER, "nats"
)
ours = Column(PUBLISHED, "ours", "of this run", "The number of this run.", NUMBER)
smaller, larger = (
    Column(PUBLISHED, f"gpt_{size.lower()}", f"GPT {size}", f"What Dai et al. print of GPT {size}; empty where they "
           "have no such data set.", NUMBER, worst=max, sparse=True)
    for size in ("1.3B", "2.7B")
)  # fmt: skip
mean_accuracy = Column(ORDER, "accuracy", "accuracy, mean over orders", "Share of right answers.", WAY, sparse=True)
of_accuracy = Column(ORDER, "accuracy_spread", "spread of accuracy over orders", "Standard deviation of the accuracy "
                     "over orders of the same demonstrations.", WAY, sparse=True)  # fmt: skip
spread = Column(ORDER, "spread", "spread over orders", "Standard deviation of the probability of a row's right answer "
                "over orders of the same demonstrations, mean over rows.", WAY, sparse=True)  # fmt: skip
excess = Column(ORDER, "over_sgd", "spread over orders - that of SGD", "The same minus that after fine-tuning on one "
                "demonstration at a time, row by row.", WAY, sparse=True)  # fmt: skip
sim_aou_plain = study.measure("sim_aou_plain", "SimAOU, not normalised", "SimAOU of outputs as they are.")
sim_am_change = study.measure("sim_am_change", "SimAM of changes", "Cosine of the changes of attention maps from "
                              "zero-shot ones, in context and by fine-tuning.")  # fmt: skip
changed = study.measure("changed", "share of answers that change", "By fine-tuning, against zero-shot.")

SIMILARITIES = {"sim_aou": study.sim_aou, "sim_aou_plain": sim_aou_plain, "sim_am_change": sim_am_change}
HEADLINES = (
    *study.headlines(study.accuracy, study.rec2ftp, study.lift),
    *(
        Headline(name, label, column.sentence, column.along(study.LAYER, arm).mean())
        for name, label, column, arm in (
            ("sim_aou.fine_tuned", "SimAOU", study.sim_aou, "fine_tuned"),
            ("sim_aou.other", "SimAOU, other rows", study.sim_aou, "other"),
            ("sim_am.rise", "rise of SimAM", study.sim_am, "rise"),
            ("kendall.fine_tuned", "Kendall's tau", study.kendall, "fine_tuned"),
        )
    ),
    *(
        Headline(f"{name}.{arm}", f"{column.label}, {words}", column.sentence, column.along(study.LAYER, arm).mean())
        for name, column in SIMILARITIES.items()
        for arm, words in (("fine_tuned", "fine-tuned"), (CAUSAL, "layer-causal"), (UNTRAINED, "untrained model"))
        if (name, arm) != ("sim_aou", "fine_tuned")
    ),
    spread,
    *(
        Headline(f"printed.{column.name.replace('.', '_')}.{name.removeprefix('accuracy.')}",
                 f"{column.label}: {name.replace('.', ', ')}", column.sentence, column[name])
        for column in (smaller, larger)
        for name in NUMBERS
    ),
)  # fmt: skip
PRINTED = "{{printed.{0}.zero_shot}}, {{printed.{0}.fine_tuned}} and {{printed.{0}.in_context}} with a Rec2FTP of "
ANSWER = (
    "the language model is right in {accuracy.zero_shot} of the test rows zero-shot, {accuracy.fine_tuned} after "
    "fine-tuning (epochs: {epochs}) and {accuracy.in_context} in context",
    "of what fine-tuning puts right, in-context learning gets {rec2ftp.fine_tuned} right, which differs from the share "
    "that it gets right anyway by {lift.per_episode}",
    *(
        f"Dai et al. print {PRINTED.format(name)}{{printed.{name}.rec2ftp}} for {column.label}"
        for column in (smaller, larger)
        for name in [column.name.replace(".", "_")]
    ),
)

varied = study.rec2ftp["per_episode"].map("variance of {}", lambda share: share * (1 - share))
CONTROLS = (
    Control("the language model learns in context", gain["in_context"] > 0),
    Control("fine-tuning changes answers", changed["fine_tuned"] > 0.02),
)
CAUSALLY = Control("layer-causal descent changes answers", changed[CAUSAL] > 0.02)
ONE_BATCH = Control(
    "fine-tuning on all demonstrations at once does not depend on their order", spread[FULL_BATCH] < 1e-3
)


def over(measure: Column, null: str) -> Quantity:
    """Return a measure minus a null's, the mean over layers above the first: the first one's maps cannot change."""
    return measure.along(study.LAYER, f"over_{null}").after(1).mean()


CLAIMS = (
    claim(
        "A language model gets right in context most of what fine-tuning puts right, and more often than it is right "
        "anyway.",
        stronger(Work.DAI, "experiments, table of Rec2FTP"),
        (study.rec2ftp["fine_tuned"] > study.MOST) & (study.lift["per_episode"] > 0) & (study.lift["other"] > 0),
        "its nulls are P(in context right | zero-shot wrong) of the same sets, and Rec2FTP with fine-tuning on other "
        "demonstrations",
        controls=(*CONTROLS, Control("within a set some answers in context are right and others wrong", varied > 0.01)),
    ),
    claim(
        "In-context learning and fine-tuning move the output of a language model's attention alike.",
        said(Work.DAI, "the paper's section on SimAOU"),
        study.sim_aou.along(study.LAYER, "over_random").mean() > 0,
        "its difference from random directions",
    ),
    claim(
        "In-context learning and fine-tuning of a language model order the demonstrations alike by how much they "
        "attend to them.",
        stronger(Work.DAI, "the paper's section on Kendall's tau"),
        study.kendall.along(study.LAYER, "over_random").mean() > 0,
        "its difference from random orders",
    ),
    claim(
        "Layer-causal descent changes attention more as learning in context does than fine-tuning: its output, "
        "normalised or not, and its maps.",
        said(Work.DEUTCH23, "arXiv 2311.07772, section 4.5 and table 2", "with the exception of AGNews"),
        (sim_aou_plain.along(study.LAYER, "over_causal").mean() < 0)
        & (study.sim_aou.along(study.LAYER, "over_causal").mean() < 0)
        & (over(sim_am_change, "causal") < 0),
        "fine-tuning's similarities minus those of layer-causal descent, at one rate as in the source; of maps above "
        "the first layer, where they can change",
        controls=(*CONTROLS, CAUSALLY),
    ),
    claim(
        "Demonstrations and fine-tuning move the output of an untrained model's attention as much alike as a trained "
        "one's.",
        said(Work.DEUTCH23, "arXiv 2311.07772, section 3.3 and table 1", "slightly exceed"),
        sim_aou_plain.along(study.LAYER, "over_untrained").mean() < study.NONE,
        "SimAOU of outputs that are not normalised, the trained model's minus the untrained one's: as high, within "
        f"{study.NONE:g}",
    ),
    claim(
        "In-context learning and fine-tuning are more alike in a language model than in an untrained one: in how they "
        "move attention's output, attend, and order the demonstrations.",
        stronger(Work.DAI, "the paper's sections on SimAOU, SimAM and Kendall's tau"),
        (study.sim_aou.along(study.LAYER, "over_untrained").mean() > 0)
        & (over(sim_am_change, "untrained") > 0)
        & (study.kendall.along(study.LAYER, "over_untrained").mean() > 0),
        "the source's nulls are random directions and orders; of maps their changes are compared, as Deutch et al. do",
    ),
    claim(
        "What a language model answers in context depends more on the order of the demonstrations than what it answers "
        "after fine-tuning on one at a time in that order.",
        stronger(Work.SHEN23, "arXiv 2310.08540, abstract", "different sensitivity to the order"),
        excess[CONTEXT] > 0,
        "of the probability of a row's right answer; the abstract says that the sensitivities differ",
        controls=(*CONTROLS, ONE_BATCH),
    ),
)
