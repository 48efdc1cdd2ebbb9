"""Claims about search for demonstrations, and their controls."""

from analysis.figures.cited import Work, own, said, stronger
from analysis.figures.claim import Claim, Control
from experiments.demonstrations.demonstrations.judges import (
    better,
    judge_agreement,
    judge_alike,
    judge_few,
    judge_flat,
    judge_learned,
    judge_margin,
    judge_perturbation,
    judge_single_query,
    judge_singles,
)

CONTROLS = (
    Control("the learner answers better from more random demonstrations than from fewer", judge_learned),
    Control("the loss of a learner that is trained is flat at the end of training", judge_flat),
)
CLAIMS = (
    Claim(
        "In iterative optimisation sets become increasingly similar to one another.",
        stronger(Work.LRGD, "section 3.6, on collapse", "increasingly similar to one another"),
        "in one path similarity with the round before is larger in the last round than in the second, at every number "
        "of validation queries",
        judge_alike,
    ),
    Claim(
        "In iterative optimisation the margin of improvement diminishes.",
        stronger(
            Work.LRGD, "section 3.6, on collapse", "the improvement margin from optimized demonstrations diminishes"
        ),
        "in one path the second half of the rounds gains less nDCG@10 than the first, at every number of validation "
        "queries",
        judge_margin,
    ),
    Claim(
        "Perturbation by another path's demonstrations lowers similarity and raises nDCG@10.",
        said(Work.LRGD, "section 4.6 and figure 9", "significantly reduces the similarity between consecutive rounds"),
        "against three paths without perturbation: similarity in the last round below, nDCG@10 on test above",
        judge_perturbation,
    ),
    Claim(
        "Perturbation by the demonstrations of a random other path raises nDCG@10.",
        said(Work.LRGD, "sections 3.6 and 4.6", "randomly choose a demonstration from another path"),
        "nDCG@10 on test above that of three paths without perturbation, at every number of validation queries",
        better("three_other", "three"),
    ),
    Claim(
        "It does so by diversity, and not by longer prompts.",
        own("derived here from LRGD, section 3.6, in which a perturbed prompt is longer"),
        "nDCG@10 above that of one path with sets as long as perturbed prompts and as many evaluations, and above that "
        "of the union of three unperturbed paths",
        better("three_path", "long_more", "union"),
    ),
    Claim(
        "What is appended must be good demonstrations.",
        own("derived here from LRGD, sections 3.5 and 3.6: random noise, or another path's demonstration"),
        "nDCG@10 with another path's set appended above that with random demonstrations appended",
        better("three_path", "three_random"),
    ),
    Claim(
        "A few random demonstrations of the pool rank better than none.",
        own("derived here from LRGD, abstract, of language models: this learner starts from nothing"),
        "nDCG@10 on test with as many random demonstrations as a set has above that without any, with which one step "
        "from nothing ranks by chance",
        judge_few,
    ),
    Claim(
        "Two perturbed paths are better than one path.",
        said(Work.LRGD, "section 4.5 and table 5", "further degrades performance"),
        "nDCG@10 of two perturbed paths above that of one",
        better("two_path", "one"),
    ),
    Claim(
        "Three perturbed paths are better than two.",
        said(Work.LRGD, "section 4.5 and table 5", "leads to performance drops"),
        "nDCG@10 of three perturbed paths above that of two",
        better("three_path", "two_path"),
    ),
    Claim(
        "Three paths without perturbation are more than three times the proposals.",
        own("derived here from LRGD, section 3.6, in which paths cost as many evaluations"),
        "nDCG@10 of three paths above that of one path with as many evaluations",
        better("three", "one_more"),
    ),
    Claim(
        "Effect_D on validation queries foretells Effect_D on test queries.",
        said(Work.LRGD, "section 3.4", "implies better generalization performance on the test set"),
        "over random sets of a user the two are correlated, at every number of validation queries",
        judge_agreement,
    ),
    Claim(
        "With a single validation query the search finds a better prompt than all demonstrations together.",
        own("derived here from LRGD, section 4.1: leaving one out leaves one validation item"),
        "nDCG@10 of three perturbed paths above that of the whole pool, at V = 1",
        judge_single_query,
    ),
    Claim(
        "With few validation queries ranking single demonstrations by Effect_D is as good as the search.",
        own("derived here from LRGD, section 3.4, eq. 15"),
        "up to V = 5 nDCG@10 of the best singles, as many as in a perturbed prompt, not below that of three perturbed "
        "paths and of the long search with as many evaluations, by more than .005",
        judge_singles,
    ),
)
