"""Feature maps of the kernel exp(x . y), one file each."""
