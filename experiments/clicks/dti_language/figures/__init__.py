"""Further figures of `dti_language`, found by listing. A file here draws a sweep, and not one run."""
