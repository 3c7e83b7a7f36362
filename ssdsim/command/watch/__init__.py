"""A simulated SSD in a terminal: `ssdsim watch`."""
