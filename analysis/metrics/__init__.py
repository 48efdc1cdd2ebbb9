"""Numbers by which learners are compared, computed from their answers. Nothing here reads or writes a file, and no kind
of experiment is named."""
