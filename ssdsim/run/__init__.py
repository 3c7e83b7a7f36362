"""A run: the clock, the state before it, loss of power, and what is measured."""
