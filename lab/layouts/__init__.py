"""Layouts turn the parts of a prompt into tokens. Nothing here has weights or reads an answer out: learners do.

Arrays carry their shapes as a suffix, `tokens_NxD`. The letters, here and everywhere:

    B  episodes of a batch            D  width of a token, or of a key
    N  examples in the context        F  width of the features that a token shows, or number of random features
    Q  queries                        I  width of the distinct inputs that the features are made of
    K  documents                      X, Z, Y  width of inputs x, auxiliary inputs z, and targets y
    T  tokens that attend             A  width of an answer; in attention, of queries and keys
    S  tokens that are attended to    C  width of values
    L  layers, or steps               W  width of a document
    H  heads                          P  members of a population
    G  groups of heads that share keys and values
    M  frequencies of random features
    V  width of what a token of a sequence shows
"""
