"""The choice of demonstrations for a language model: `python run.py experiment=language_choice`. The model is
`lab.language`, prompts are `trainers.language`: neither belongs here."""
