"""Classes of functions that are to be learned in context [Garg22], one file per class."""
