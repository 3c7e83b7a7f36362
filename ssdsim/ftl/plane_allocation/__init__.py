"""Which plane a logical page is written to."""
