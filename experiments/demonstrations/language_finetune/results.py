"""The results of fine-tuning a language model: what `icl_vs_finetune` has not, and its claims.

A seed is that of a set of demonstrations. A column NUMBER has the mean over the test rows; NUMBER.common is the
standard error of the mean over sets that comes from these rows, which all sets share
(`experiments.demonstrations.two_way`).
"""

from analysis.figures.cited import Work, own, said, stronger
from analysis.figures.controls import Control
from analysis.results.column import Column, Headline
from analysis.results.declared import claim
from experiments.demonstrations.icl_vs_finetune import results as study
from experiments.demonstrations.icl_vs_finetune.results import (
    ACCURACY,
    LAYER,
    LEARNER,
    MOST,
    kendall,
    lift,
    rec2ftp,
    sim_am,
    sim_aou,
    sim_aou_centred,
)

PUBLISHED = "published"  # the table with one row per number that the source printed, beside this run's
TABLES = (*study.TABLES, PUBLISHED)
DATA_SET, NUMBER = "data_set", "number"  # its first columns
NUMBERS = ("accuracy.zero_shot", "accuracy.fine_tuned", "accuracy.in_context", "rec2ftp")
gain = Column(ACCURACY, "gain", "accuracy - zero-shot", "Paired row by row.", LEARNER, sparse=True)
shortfall = Column(ACCURACY, "behind", "accuracy in context - this", "Paired row by row.", LEARNER, sparse=True)
loss = Column(ACCURACY, "loss", "loss", "Cross-entropy of the right answer among a query's.", LEARNER, "nats")
ours = Column(PUBLISHED, "ours", "of this run", "The number of this run.", NUMBER)
smaller, larger = (
    Column(PUBLISHED, f"gpt_{size.lower()}", f"GPT {size}", f"What Dai et al. print of GPT {size}; empty where they "
           "have no such data set.", NUMBER, worst=max, sparse=True)
    for size in ("1.3B", "2.7B")
)  # fmt: skip
changed = study.measure("changed", "share of answers that change", "By fine-tuning, against zero-shot.")

HEADLINES = (
    *study.headlines(study.accuracy, rec2ftp, lift),
    Headline("sim_aou.fine_tuned", "SimAOU", sim_aou.sentence, sim_aou.along(LAYER, "fine_tuned").mean()),
    Headline("sim_aou.other", "SimAOU, other rows", sim_aou.sentence, sim_aou.along(LAYER, "other").mean()),
    Headline("sim_am.rise", "rise of SimAM", sim_am.sentence, sim_am.along(LAYER, "rise").mean()),
    Headline("kendall.fine_tuned", "Kendall's tau", kendall.sentence, kendall.along(LAYER, "fine_tuned").mean()),
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

varied = rec2ftp["per_episode"].map("variance of {}", lambda share: share * (1 - share))
CONTROLS = (
    Control("the language model learns in context", gain["in_context"] > 0),
    Control("fine-tuning changes answers", changed["fine_tuned"] > 0.02),
)
CLAIMS = (
    claim(
        "Fine-tuning a language model on demonstrations helps, and showing them helps more.",
        said(Work.DAI, "experiments, table of validation accuracies"),
        (gain["fine_tuned"] > 0) & (shortfall["fine_tuned"] > 0),
        "as in eleven of the twelve columns of the source's table",
    ),
    claim(
        "A language model gets right in context most of what fine-tuning puts right.",
        said(Work.DAI, "experiments, table of Rec2FTP"),
        rec2ftp["fine_tuned"] > MOST,
    ),
    claim(
        "It gets more of that right in context than of all that is wrong zero-shot, and than of what fine-tuning on "
        "other demonstrations puts right.",
        own("derived here from Rec2FTP of Dai et al., whose value alone does not tell it from accuracy"),
        (lift["per_episode"] > 0) & (lift["other"] > 0),
        controls=(*CONTROLS, Control("within a set some answers in context are right and others wrong", varied > 0.01)),
    ),
    claim(
        "In-context learning and fine-tuning move the output of a language model's attention alike.",
        stronger(Work.DAI, "the paper's section on SimAOU"),
        sim_aou.along(LAYER, "over_random").mean() > 0,
        "its difference from random directions",
    ),
    claim(
        "They move it more alike on the same demonstrations than on others.",
        stronger(Work.DAI, "the paper's section on SimAOU"),
        sim_aou.along(LAYER, "difference") > 0,
        "the difference from fine-tuning on other demonstrations",
    ),
    claim(
        "They do once the update that all test rows share is taken off.",
        own(study.DAI_AOU),
        sim_aou_centred.along(LAYER, "difference") > 0,
    ),
    claim(
        "In context a language model attends as after fine-tuning, and less as before it.",
        stronger(Work.DAI, "the paper's section on SimAM"),
        study.rises(sim_am),
        "the rise is SimAM with the fine-tuned model minus that with the zero-shot model",
    ),
    claim(
        "In-context learning and fine-tuning of a language model order the demonstrations alike by how much they "
        "attend to them.",
        stronger(Work.DAI, "the paper's section on Kendall's tau"),
        kendall.along(LAYER, "over_random").mean() > 0,
        "its difference from random orders",
    ),
    claim(
        "They do more than with fine-tuning on other demonstrations in the same places.",
        own("derived here from Kendall's tau of Dai et al."),
        kendall.along(LAYER, "difference").mean() > 0,
        "its difference from fine-tuning on other demonstrations",
    ),
)
