"""Further figures of `click_log`, found by listing. A file here has nothing that another figure needs."""
