"""Instructions of a prompt, shrunk, moved and prolonged: `python run.py experiment=prompt_text`. Instructions are
learned tokens, and no text is read here."""
