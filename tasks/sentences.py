"""`sentences`: documents of labelled sentences, from which a small language model can learn labels in context.

A document has N examples (`tasks.texts.words`) and asks one question of all of them. With probability `exchanged` the
words that answer it are exchanged in pairs: `good` stands for what is bad. Each word is wrong with probability `wrong`,
and then one of the question's others. So without examples a query is best answered by what the words mean, and every
example tells a bit more on whether they are exchanged. (Were that so in half of the documents, words would tell nothing
alone, and a model would have to learn their sense and the use of examples at once: 700 steps did not.) A model is
trained on the next token everywhere, and those of WORD count `emphasis` times.

>>> import jax
>>> episodes = Sentences().sample(jax.random.key(0), batch=2)
>>> episodes.prompt.context.x.shape, episodes.target["next"].shape
((2, 80), (2, 80))
"""

import math

import jax
import jax.numpy as jnp
import numpy as np

from tasks.episode import Episode, Inputs, Prompt
from tasks.task import Task, pytree
from tasks.texts.settings import Sentences as Settings
from tasks.texts.words import ADJECTIVES, ANSWER, NOUNS, NUMBER, PER_EXAMPLE, QUESTIONS, SENTIMENTS, TOPICS, WORDS

CLASSES = np.array([len(words) for words in QUESTIONS.values()])  # of each question
FIRST = np.array([NUMBER[words[0]] for words in QUESTIONS.values()])  # number of the question's first word
ASKED = np.array([NUMBER[question] for question in QUESTIONS])


@pytree
class Sentences(Settings, Task):
    @property
    def features(self) -> tuple[tuple[str, int], ...]:
        return (("token", 1),)

    @property
    def answer_dim(self) -> int:
        return len(WORDS)

    @property
    def asked(self) -> dict[str, tuple[str, ...]]:
        """The questions that documents ask, with the words that answer each."""
        return {question: words for question, words in QUESTIONS.items() if self.question in ("", question)}

    def sample(self, key: jax.Array, batch: int) -> Episode:
        """Return documents: their tokens (B, T) as `context.x`, and as target the next token and its weight."""
        token_BxT = self.tokens(key, batch)
        next_BxT = jnp.roll(token_BxT, -1, axis=1)  # the last token of a document has no next one
        place_T = np.arange(token_BxT.shape[1])
        is_word_T = (place_T + 1) % PER_EXAMPLE == ANSWER
        weight_T = jnp.where(is_word_T, self.emphasis, 1.0).at[-1].set(0.0)
        weight_BxT = jnp.broadcast_to(weight_T / jnp.mean(weight_T), token_BxT.shape)
        nothing = token_BxT[:, :0]
        prompt = Prompt(Inputs(token_BxT), jnp.zeros((batch, 0)), Inputs(nothing))
        return Episode(prompt, {"next": next_BxT, "weight": weight_BxT})

    def tokens(self, key: jax.Array, batch: int) -> jax.Array:
        """Return the tokens of documents, (B, 8 N)."""
        key_question, key_exchanged, key_noun, key_adjective, key_wrong, key_other = jax.random.split(key, 6)
        shape = (batch, self.num_context)
        question_Bx1 = jax.random.randint(key_question, (batch, 1), 0, len(QUESTIONS))
        if self.question:
            question_Bx1 = jnp.full_like(question_Bx1, [*QUESTIONS].index(self.question))
        exchanged_Bx1 = jax.random.bernoulli(key_exchanged, self.exchanged, (batch, 1))
        noun_BxN = jax.random.randint(key_noun, shape, 0, len(NOUNS))
        adjective_BxN = jax.random.randint(key_adjective, shape, 0, len(ADJECTIVES))
        topic_BxN = noun_BxN // (len(NOUNS) // len(TOPICS))
        sentiment_BxN = adjective_BxN // (len(ADJECTIVES) // len(SENTIMENTS))
        label_BxN = jnp.where(question_Bx1 == 0, topic_BxN, sentiment_BxN) ^ exchanged_Bx1.astype(int)
        count_Bx1 = jnp.asarray(CLASSES)[question_Bx1]
        further_BxN = 1 + jax.random.randint(key_other, shape, 0, math.lcm(*(CLASSES - 1))) % (count_Bx1 - 1)
        is_wrong_BxN = jax.random.bernoulli(key_wrong, self.wrong, shape)
        label_BxN = jnp.where(is_wrong_BxN, (label_BxN + further_BxN) % count_Bx1, label_BxN)

        def word(text: str) -> jax.Array:
            return jnp.full(shape, NUMBER[text])

        each = [
            word("text"), word("the"), NUMBER[NOUNS[0]] + noun_BxN, word("is"), NUMBER[ADJECTIVES[0]] + adjective_BxN,
            jnp.broadcast_to(jnp.asarray(ASKED)[question_Bx1], shape), jnp.asarray(FIRST)[question_Bx1] + label_BxN,
            word(";"),
        ]  # fmt: skip
        return jnp.stack(each, axis=-1).reshape(batch, -1)

    def loss(self, answer_TxV: jax.Array, target: dict[str, jax.Array]) -> jax.Array:
        """Return the weighted cross-entropy of the next token at each token, (T,)."""
        log_probability = jax.nn.log_softmax(answer_TxV, axis=-1)
        return -target["weight"] * jnp.take_along_axis(log_probability, target["next"][:, None], axis=-1)[:, 0]


def best_accuracy(examples: int, classes: int, wrong: float, exchanged: float) -> float:
    """Return the largest probability of a right answer after some examples, in documents of all sorts.

    Of m examples whose words tell (those that the two sorts of documents do not both call wrong), k speak for the sort
    of the document; each of them does so with probability p = right / (right + 1 / (C - 1) wrong). The best answer is
    that of the likelier sort; where both are equally likely it is right in half of the documents.
    """
    right, other = 1 - wrong, wrong / (classes - 1)
    tells, odds = right + other, math.log(right / other) if wrong else math.inf
    total = 0.0
    for prior in (1 - exchanged, exchanged):
        for m in range(examples + 1):
            for k in range(m + 1):
                chance = prior * math.comb(examples, m) * tells**m * (1 - tells) ** (examples - m)
                chance *= math.comb(m, k) * (right / tells) ** k * (other / tells) ** (m - k)
                for_it = (2 * k - m) * odds if m != 2 * k else 0.0
                for_it += _log_ratio(prior, 1 - prior)
                total += chance * (0.5 if abs(for_it) < 1e-9 else float(for_it > 0))
    return total


def _log_ratio(one: float, other: float) -> float:
    return math.inf if other == 0 else -math.inf if one == 0 else math.log(one / other)
