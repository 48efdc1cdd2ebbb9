"""In-context learning of a language model beside fine-tuning on the same demonstrations: `python run.py
experiment=language_finetune`. Decoders of the lab's tasks are another kind, `icl_vs_finetune`, and not here."""
