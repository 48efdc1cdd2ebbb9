"""Settings of the search for demonstrations to recommend from. No JAX here."""

from dataclasses import dataclass

from tasks.settings import PROBABILITY, at_least_two, key, positive


@dataclass
class Search:
    """The search for sets of demonstrations that are scored on validation queries."""

    examples: int = positive(8, "N, demonstrations of a set; controls of equal size have twice as many.")
    proposals: int = at_least_two(6, "Sets proposed per round and path.")
    rounds: int = at_least_two(12, "Rounds of the search.")
    step: float = key(0.5, "How far the probabilities pi move towards the best sets in a round.", above=0, at_most=1)
    floor: float = key(0.005, "The least value of a probability pi.", above=0, at_most=1)
    threshold: float = key(0.6, "Similarity of the sets above which a path has collapsed.", **PROBABILITY)
