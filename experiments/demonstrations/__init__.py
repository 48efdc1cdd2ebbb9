"""Family: prompts of demonstrations, for trained decoders and pretrained language models (Dai et al., Deep-Thinking,
LRGD 3.4). Only what its kinds share lives here: no other family imports it."""
