"""The lab's own small language model, trained, measured and kept as a folder: `python run.py
experiment=language_model`. What other kinds need to read it is in `trainers/language`, and not here."""
