"""Further figures of `recommend`, found by listing. A file here has nothing that another figure needs."""
