"""How the order of tokens enters attention: one file per way. `lab.learners.decoder` has the table of them."""
