"""Attention and gradient descent are two forms of one computation: identities, checked in float64. Nothing is trained
here, and what has a tolerance that was fitted does not belong here."""
