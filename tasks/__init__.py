"""The origins of episodes: one file per task, a sampler and a loss. A task imports nothing of the lab but its own
folder, and never sees a learner."""
