"""In-context learning beside fine-tuning on the same examples: `python run.py experiment=icl_vs_finetune`. Decoders
come from the run of another kind; only fine-tuning trains here."""
