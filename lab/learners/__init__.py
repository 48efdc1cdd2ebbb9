"""Everything that answers a prompt: trained, constructed, or gradient descent itself, one file per learner. No learner
sees a target, trains itself or writes a file."""
