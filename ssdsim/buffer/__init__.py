"""DRAM write buffers between the host queue and the translation layer."""
