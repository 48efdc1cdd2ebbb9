"""Further figures of `demonstration_choice`, found by listing. A file here has nothing that another figure needs."""
