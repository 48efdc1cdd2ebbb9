"""Classes of functions, one file each, that are to be learned in context [Garg22]."""
