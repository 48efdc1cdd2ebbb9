"""Times of a decoder's training step beside others: `python run.py experiment=decoder_speed`. Nothing that another kind
needs is here: what is timed is only timed."""
