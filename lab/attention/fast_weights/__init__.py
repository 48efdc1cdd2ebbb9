"""Layers with a state W that tokens write to and queries read, one file per rule of writing. Nothing here has weights
or knows a prompt."""
