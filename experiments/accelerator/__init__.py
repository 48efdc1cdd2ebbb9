"""What a device must get right, and how fast it is: `python run.py experiment=accelerator`."""
