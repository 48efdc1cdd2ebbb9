"""`python run.py decide=DIR`: further seeds for the claims of a finished run or sweep that are undecided. No criterion
is changed here, and looks have to be paid for by wider intervals."""
