"""Family: trained linear attention beside gradient descent (Von Oswald et al., RAG-GD). Only what its kinds share
lives here: no other family imports it."""
