"""FAST: block mapping with log blocks and merges (Lee et al., 2007)."""
