"""Trained Transformers beside gradient descent and its relatives: `python run.py experiment=rag_dot`, and the figures
of RAG-GD and VO23. The training loop is `trainers`, and learners are `lab.learners`: neither belongs here."""
