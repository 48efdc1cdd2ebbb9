"""Stacks of delta-rule layers, trained from random weights, beside as many passes of stochastic gradient descent and as
many steps of GD++. Layers that are no delta rule are not stacked here."""
