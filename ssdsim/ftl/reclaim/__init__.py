"""How space is won back: when, which blocks, and how their valid pages move."""
