"""Family: layers that are online learners of a map from keys to values. Only what its kinds share lives here: no other
family imports it."""
