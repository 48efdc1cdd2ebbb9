"""Who can see what in a prompt of many targets: `python run.py experiment=dti_reach`."""
