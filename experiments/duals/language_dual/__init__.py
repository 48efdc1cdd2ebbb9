"""Dual models of a language model's attention: `python run.py experiment=language_dual`. Random problems and what is
exact of them are another kind, `dual_form`, and not here."""
