"""Further figures of `deep_thinking`, found by listing. A file here has nothing that another figure needs."""
