"""Further figures of `language_recommend`, found by listing. A file here has nothing that another figure needs."""
