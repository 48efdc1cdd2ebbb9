"""Times of training steps and answers by number of documents: `python run.py experiment=retrieval_cost`. Nothing that
another kind needs is here: what is timed is only timed."""
