"""Attention and gradient descent are two forms of one computation: identities, checked in float64."""
