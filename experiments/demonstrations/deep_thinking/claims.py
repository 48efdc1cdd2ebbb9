"""Claims about reading the context again, judged over seeds, of decoders that learn in context.

The source has one rate and one momentum for its results, THEIRS, and chooses the number of iterations by the results
that it reports: the best of up to 15.
"""

from analysis.figures.cited import Work, own, said, stronger
from analysis.figures.claim import Claim, Control
from analysis.figures.thinking import as_many_fit_without, more_queries_fit
from experiments.demonstrations.deep_thinking.columns import Table, Tasks
from experiments.demonstrations.deep_thinking.judges import (
    beats_one_reading,
    fades_faster,
    fades_first_near_the_input,
    few_queries_flatter,
    gains,
    gains_on_fresh_queries,
    learns_in_context,
    momentum_gains,
    momentum_gains_on_fresh_queries,
    momentum_is_faster,
    peaks_earlier,
    tasks_differ,
    told_by,
)

CONTROLS = (Control("the decoders learn in context", learns_in_context),)
CLAIMS = (
    Claim(
        statement="Reading the context again, with momentum, improves on in-context learning.",
        source=stronger(Work.DT, "section 4.2, RQ1, tables 1 and 2", "substantially outperforms vanilla ICL"),
        criterion="accuracy gained at eta = .01, beta = .9, with one number of iterations for all tasks, chosen on "
        "other tasks",
        judge=gains,
    ),
    Claim(
        statement="What the best number of iterations for each task gains is no choice among noise.",
        source=stronger(Work.DT, "section 4.2, RQ1", "the best results obtained within"),
        criterion="the number that is best on the most queries that choose gains accuracy on the task's other queries, "
        "too, at eta = .01, beta = .9",
        judge=gains_on_fresh_queries,
    ),
    Claim(
        statement="Momentum gains, at the same rate.",
        source=said(Work.DT, "section 4.2, RQ4, table 3", "substantially better than the non-momentum method"),
        criterion="gain of the best number of iterations for each task on the queries that are scored, at eta = .01: "
        "with beta = .9 above that with beta = 0",
        judge=momentum_gains,
    ),
    Claim(
        statement="Momentum gains at the same rate on queries that did not choose the number of iterations, too.",
        source=stronger(Work.DT, "section 4.2, RQ4, table 3", "substantially better than the non-momentum method"),
        criterion="the same difference on a task's other queries",
        judge=momentum_gains_on_fresh_queries,
    ),
    Claim(
        statement="With momentum the peak is reached in fewer iterations.",
        source=said(Work.DT, "section 4.2, RQ4, table 3", "reach its peak performance faster"),
        criterion="number of iterations that is best on all tasks, at eta = .01: with beta = .9 below that with 0",
        judge=momentum_is_faster,
    ),
    Claim(
        statement="Momentum gains more than one whole re-reading without it.",
        source=own("derived here: every stable rate and momentum leads to the keys and values of re-reading"),
        criterion="gain at eta = .1, beta = .9, with the number of iterations chosen on other tasks, above that of one "
        "whole re-reading",
        judge=beats_one_reading,
    ),
    Claim(
        statement="With a larger rate the peak is reached in fewer iterations.",
        source=said(Work.DT, "section 4.2, RQ3", "leads to faster performance peaks"),
        criterion="number of iterations that is best on all tasks, with beta = .9: at eta = .1 below that at eta = .01",
        judge=peaks_earlier,
    ),
    Claim(
        statement="Updates fade faster with a larger rate.",
        source=stronger(Work.DT, "section 4.2, RQ3, figure 5, of keys alone", "leads to faster decay of"),
        criterion="norm of the update of keys and values relative to the first, half-way: lower at eta = .1 than at "
        "eta = .01 in every layer above the second, whose updates follow a recurrence whatever is learned",
        judge=fades_faster,
    ),
    Claim(
        statement="Updates fade fastest near the input.",
        source=stronger(Work.DT, "section 4.2, RQ3, figure 5, of keys alone", "occurring near the input layer"),
        criterion="the same norm, at eta = .1 and .01: in the second layer, the first that moves, lower than in every "
        "layer above",
        judge=fades_first_near_the_input,
    ),
    Claim(
        statement="The fewer queries choose a task's number of iterations, the more it seems to gain on them.",
        source=own("derived here: the best of several noisy numbers is too good, and more so if they are noisier"),
        criterion="gain of the best number for each task on the queries that choose it, at eta = .01, beta = .9: with "
        "the fewest queries above that with the most",
        judge=few_queries_flatter,
    ),
    Claim(
        statement="Some tasks gain by reading again, and others do not.",
        source=own("derived here: two sets of queries of one task agree on what it gains only if tasks differ"),
        criterion="correlation over tasks between the nats that all iterations gain on two sets of queries, at the "
        "first rate and momentum, above 0",
        judge=tasks_differ,
    ),
    Claim(
        statement="The size of the first update tells which tasks gain.",
        source=own("derived here: reading again changes nothing where it moves nothing"),
        criterion="correlation over tasks between the norm of the first update and the nats gained on fresh queries "
        "above 0",
        judge=told_by(Tasks.NORM),
    ),
    Claim(
        statement="Uncertain first answers tell which tasks gain.",
        source=own("derived here: where all answers are certain none changes"),
        criterion="correlation over tasks between the mean entropy of the answers after one reading and the nats "
        "gained on fresh queries above 0",
        judge=told_by(Tasks.ENTROPY),
    ),
    Claim(
        statement="More queries fit into memory than where each has its own copy of the prompt.",
        source=said(Work.DT, "section 4.2, RQ2, figure 3", "in terms of the maximum batch size"),
        criterion="queries whose keys and values fit beside those that are kept, above those of prompts with one query "
        "each",
        judge=more_queries_fit(Table.COST),
        controls=(),
    ),
    Claim(
        statement="As many fit in plain in-context learning, if it keeps the prompt's keys and values.",
        source=own("derived here: what is kept has the same size, however often the prompt was read"),
        criterion="the same number of queries to 1e-6 of it",
        judge=as_many_fit_without(Table.COST),
        controls=(),
    ),
)
