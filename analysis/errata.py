"""Errors in the sources; the runs that check them add these lines to their notes."""

LRGD = (
    "LRGD: the factor 1/sqrt(D) of D/2 random frequencies gives kappa/2, which cancels in the normalizer c.",
    "LRGD, eq. 6 for a single score is identically 1: the sum must run over all scores.",
    "LRGD, eqs. 26 and 27: V^(i), i < n should number the g groups; eq. 26 lacks c and eq. 27 lacks W.",
    "LRGD's R_m^T R_n = R_{m-n} is the other sign convention: rotations by m, n satisfy R_m^T R_n = R_{n-m}.",
)
