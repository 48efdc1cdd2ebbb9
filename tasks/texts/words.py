"""The words of the lab's own small language model, and what its documents ask. No JAX here.

An example is 'text the NOUN is ADJECTIVE QUESTION WORD ;'. The question is for the noun's topic, one of four, or for
the adjective's sentiment, one of two, and WORD names it.
"""

TOPICS = {
    "animal": "cat dog horse bird fish mouse lion sheep".split(),
    "plant": "rose tree grass fern moss oak lily corn".split(),
    "tool": "hammer saw drill knife spade axe file clamp".split(),
    "meal": "soup bread pasta salad stew cake rice pie".split(),
}
SENTIMENTS = {
    "bad": "ugly weak dirty slow poor sad dull cruel broken stale rude cold harsh sick cheap wild".split(),
    "good": "lovely strong clean fast rich happy bright kind whole fresh calm warm gentle well fine mild".split(),
}
QUESTIONS = {"topic": tuple(TOPICS), "sentiment": tuple(SENTIMENTS)}  # question: the words that answer it
GLUE = ("text", "the", "is", ";", *QUESTIONS)
END, UNKNOWN = "<end>", "<unknown>"
NOUNS = tuple(noun for nouns in TOPICS.values() for noun in nouns)
ADJECTIVES = tuple(adjective for adjectives in SENTIMENTS.values() for adjective in adjectives)
WORDS = (END, UNKNOWN, *GLUE, *QUESTIONS["topic"], *QUESTIONS["sentiment"], *NOUNS, *ADJECTIVES)
NUMBER = {word: number for number, word in enumerate(WORDS)}
PER_EXAMPLE = 8  # tokens
ANSWER = 6  # the place of WORD among them


def exchanged(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of a document that exchanges them in pairs: the first with the second, the third with the
    fourth.

    >>> exchanged(("bad", "good"))
    ('good', 'bad')
    """
    return tuple(words[place ^ 1] for place in range(len(words)))
