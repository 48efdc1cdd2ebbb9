"""`python run.py decide=DIR`: further seeds for the claims of a finished run or sweep that are undecided."""
