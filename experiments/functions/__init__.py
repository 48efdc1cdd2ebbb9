"""Family: softmax decoders that learn classes of functions in context (Garg et al., Raventos et al.). Only what its
kinds share lives here: no other family imports it."""
