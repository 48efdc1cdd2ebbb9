"""Claims of comparisons, one file per figure, where they are many. Nothing here draws."""
