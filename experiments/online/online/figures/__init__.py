"""Figures of `online` beside the one of its sweep over tasks. Nothing is judged here."""
