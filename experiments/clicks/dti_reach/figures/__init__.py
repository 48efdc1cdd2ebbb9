"""Further figures of `dti_reach`, found by listing. A file here has nothing that another figure needs."""
