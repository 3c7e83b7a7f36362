"""Which block and page of a plane a write goes to."""
