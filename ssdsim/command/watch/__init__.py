"""A simulated SSD in a terminal: `python -m experiments watch`."""
