"""The interactions that an answer depends on in a prompt of many targets: `python run.py experiment=dti_reach`. All of
it is exact or a gradient, and no accuracy is measured here."""
