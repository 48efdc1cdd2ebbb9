"""Learners that see one example after the other, each written as it is defined: by the gradient of a loss, or by the
solution of a problem. `construction` sets the weights of layers that contain them. No layer is defined here."""
