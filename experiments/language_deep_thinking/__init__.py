"""A language model reads its demonstrations again: `python run.py experiment=language_deep_thinking`. The model is
`lab.language`, prompts are `trainers.language`: neither belongs here."""
