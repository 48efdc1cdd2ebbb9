"""A language model on tasks in context: `python run.py experiment=language_model`. The model is `lab.language`, prompts
are `trainers.language`: neither belongs here."""
