"""Family: times of programs beside other implementations. Only what its kinds share lives here: no other family
imports it."""
