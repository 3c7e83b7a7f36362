"""Backups of paired pages: what is written before a page may be, for the sake of others on its wordline."""
