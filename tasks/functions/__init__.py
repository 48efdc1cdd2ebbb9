"""Classes of functions that are to be learned in context [Garg22], one file per class, and Bayes-optimal answers where
all functions can be listed. Nothing here is trained."""
