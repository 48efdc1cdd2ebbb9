"""Family: attention and its dual form, identities and approximations (LRGD, Dai et al.). Only what its kinds share
lives here: no other family imports it."""
