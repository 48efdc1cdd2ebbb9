"""Further figures of `momentum_attention`, found by listing. A file here has nothing that another figure needs."""
