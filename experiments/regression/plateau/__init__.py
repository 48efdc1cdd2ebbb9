"""The plateau with which the training of one layer of linear attention begins, and the step at which it ends, predicted
from the initial weights. Nothing is compared with gradient descent in context here."""
