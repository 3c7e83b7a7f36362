"""What a run measures, and the result it leaves."""
