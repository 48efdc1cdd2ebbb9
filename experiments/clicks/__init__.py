"""Family: streaming prompts that predict clicks (DTI). Only what its kinds share lives here: no other family imports
it."""
