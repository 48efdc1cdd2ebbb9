"""Rungs between linear and softmax attention in a trained decoder: `python run.py experiment=attention_ladder`. Feature
maps are `lab.features`, and no decoder is trained here."""
