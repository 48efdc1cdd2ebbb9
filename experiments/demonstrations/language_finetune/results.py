"""The results of fine-tuning a language model: what `icl_vs_finetune` has not, and its claims.

A seed belongs to a set of demonstrations. A column NUMBER has the mean over the test rows; NUMBER.common is the
standard error of the mean over sets that comes from these rows, which all sets share
(`experiments.demonstrations.two_way`).
"""

from analysis.figures.cited import Work, said, stronger
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
        "A language model gets right in context most of what fine-tuning puts right, and more often than it is right "
        "anyway.",
        stronger(Work.DAI, "experiments, table of Rec2FTP"),
        (rec2ftp["fine_tuned"] > MOST) & (lift["per_episode"] > 0) & (lift["other"] > 0),
        "its nulls are P(in context right | zero-shot wrong) of the same sets, and Rec2FTP with fine-tuning on other "
        "demonstrations",
        controls=(*CONTROLS, Control("within a set some answers in context are right and others wrong", varied > 0.01)),
    ),
    claim(
        "In-context learning and fine-tuning move the output of a language model's attention alike.",
        said(Work.DAI, "the paper's section on SimAOU"),
        sim_aou.along(LAYER, "over_random").mean() > 0,
        "its difference from random directions",
    ),
    claim(
        "In-context learning and fine-tuning of a language model order the demonstrations alike by how much they "
        "attend to them.",
        stronger(Work.DAI, "the paper's section on Kendall's tau"),
        kendall.along(LAYER, "over_random").mean() > 0,
        "its difference from random orders",
    ),
)
