"""Search for demonstrations, and its controls: `python run.py experiment=demonstrations`. No language model proposes
sets here, and the choice among given sets is another kind."""
