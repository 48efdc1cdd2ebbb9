"""Figures of `task_diversity`, found by listing. A file here has nothing that another figure needs."""
