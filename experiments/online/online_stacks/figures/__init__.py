"""Figures of `online_stacks` beside the one of its sweep over tasks. Nothing is judged here."""
