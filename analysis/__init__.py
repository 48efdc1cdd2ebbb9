"""All that is made of tables: metrics, figures, verdicts, reports, pages. Nothing here trains a model, and what draws
or judges imports no JAX."""
