"""Figures of `demonstrations` beside that of one run. They read tables alone, so there is no JAX and no search here."""
