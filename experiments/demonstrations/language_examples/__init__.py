"""A language model behind more and more demonstrations of several data sets, by three ways to compare answers:
`python run.py experiment=language_examples`."""
