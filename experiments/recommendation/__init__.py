"""Family: recommendation from a user's past items (LRGD 3.6). Only what its kinds share lives here: no other family
imports it."""
