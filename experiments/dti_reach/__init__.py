"""The interactions that an answer depends on in a prompt of many targets: `python run.py experiment=dti_reach`."""
