"""Family: prompts of demonstrations, for trained decoders and pretrained language models (Dai et al., Deep-Thinking,
LRGD 3.4). Only what its kinds share lives here: no other family imports it.

Three studies have two subjects. What is measured, its bounds, rows and panels are in the kind of decoders
(`deep_thinking`, `icl_vs_finetune`, `demonstration_choice`), and in the kind of a language model
(`language_deep_thinking`, `language_finetune`, `language_choice`) what is its own: how it answers a prompt, its
settings and its claims.
"""
