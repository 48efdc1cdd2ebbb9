"""The parts that several kinds share which measure a language model on texts: model and texts of a run, prompts,
and the lab's own small model. The forward pass is in `lab/language`, and not here."""
