"""Claims about reading demonstrations again, judged on one language model over sets of demonstrations and test rows."""

from analysis.figures.cited import Work, own, said, stronger
from analysis.figures.claim import Claim, Control
from analysis.figures.thinking import as_many_fit_without, more_queries_fit
from experiments.demonstrations.language_deep_thinking.columns import Table
from experiments.demonstrations.language_deep_thinking.judges import (
    fades_faster,
    fades_first_near_the_input,
    first_layer_is_still,
    gains,
    gains_on_fresh_rows,
    grows,
    learns_in_context,
    leaves_room,
    momentum_gains,
    momentum_is_faster,
    peaks_earlier,
    second_layer_recurs,
)

CONTROLS = (Control("demonstrations help the model", learns_in_context),)
WITH_ROOM = (*CONTROLS, Control("there are answers to put right", leaves_room))
CLAIMS = (
    Claim(
        statement="Demonstrations help this language model.",
        source=own("derived here: nothing can be gained by reading again what is of no use"),
        criterion="accuracy with all demonstrations of a set above that without any",
        judge=learns_in_context,
        controls=(),
    ),
    Claim(
        statement="More demonstrations help this language model more.",
        source=own("derived here: some of the demonstrations of a set may be wrong or of little use"),
        criterion="accuracy with all demonstrations of a set above that with its first one",
        judge=grows,
        controls=(),
    ),
    Claim(
        statement="A language model that reads its demonstrations again, with momentum, improves on plain in-context "
        "learning.",
        source=stronger(Work.DT, "section 4.2, RQ1, tables 1 and 2", "substantially outperforms vanilla ICL"),
        criterion="accuracy gained at eta = .01, beta = .9, with positions that go on, and the number of iterations "
        "chosen on validation rows of each set",
        judge=gains,
        controls=WITH_ROOM,
    ),
    Claim(
        statement="What the best number of iterations on the test gains is there on rows that did not choose it.",
        source=stronger(Work.DT, "section 4.2, RQ1", "the best results obtained within"),
        criterion="the number that is best on one half of the test rows gains on the other half, at eta = .01, "
        "beta = .9",
        judge=gains_on_fresh_rows,
        controls=WITH_ROOM,
    ),
    Claim(
        statement="Momentum gains, at the same rate, in a language model.",
        source=said(Work.DT, "section 4.2, RQ4, table 3", "substantially better than the non-momentum method"),
        criterion="accuracy after the number of iterations that is best on the test rows, at eta = .01: with beta = .9 "
        "above that with beta = 0",
        judge=momentum_gains,
        controls=WITH_ROOM,
    ),
    Claim(
        statement="With momentum a language model's peak is reached in fewer iterations.",
        source=said(Work.DT, "section 4.2, RQ4, table 3", "reach its peak performance faster"),
        criterion="number of iterations that is best on the test rows for a set, at eta = .01: with beta = .9 below "
        "that with beta = 0",
        judge=momentum_is_faster,
        controls=WITH_ROOM,
    ),
    Claim(
        statement="With a larger rate a language model's peak is reached in fewer iterations.",
        source=said(Work.DT, "section 4.2, RQ3", "leads to faster performance peaks"),
        criterion="number of iterations that is best on the test rows for a set, with beta = .9: at eta = .1 below "
        "that at eta = .01",
        judge=peaks_earlier,
        controls=WITH_ROOM,
    ),
    Claim(
        statement="Updates of a language model's keys fade faster with a larger rate.",
        source=stronger(Work.DT, "section 4.2, RQ3, figure 5", "leads to faster decay of"),
        criterion="norm of the update of keys relative to the first, half-way: lower at eta = .1 than at eta = .01 in "
        "every layer above the first, whose updates follow a recurrence whatever is learned",
        judge=fades_faster,
    ),
    Claim(
        statement="Updates of a language model's keys fade fastest near the input.",
        source=stronger(Work.DT, "section 4.2, RQ3, figure 5", "occurring near the input layer"),
        criterion="the same norm, at eta = .1 and .01: in the first layer, lower than in every layer above",
        judge=fades_first_near_the_input,
    ),
    Claim(
        statement="Where positions are repeated the first layer does not move.",
        source=own("derived here: its keys are those of the same tokens at the same positions"),
        criterion="the largest norm of its updates below 1e-5 of the largest of all layers",
        judge=first_layer_is_still,
        controls=(),
    ),
    Claim(
        statement="Where positions are repeated the second layer's updates follow a recurrence of numbers.",
        source=own("derived here: the keys that it is moved to are the same at every iteration"),
        criterion="norms relative to the first within .001 of the recurrence, at every rate, momentum and iteration",
        judge=second_layer_recurs,
        controls=(),
    ),
    Claim(
        statement="More queries of a language model fit into memory than where each has its own copy of the prompt.",
        source=said(Work.DT, "section 4.2, RQ2, figure 3", "in terms of the maximum batch size"),
        criterion="queries whose keys and values fit beside those that are kept, above those of prompts with one query "
        "each",
        judge=more_queries_fit(Table.COST),
        controls=(),
    ),
    Claim(
        statement="As many fit in plain in-context learning, if it keeps the demonstrations' keys and values.",
        source=own("derived here: what is kept has the same size, however often demonstrations were read"),
        criterion="the same number of queries to 1e-6 of it",
        judge=as_many_fit_without(Table.COST),
        controls=(),
    ),
)
