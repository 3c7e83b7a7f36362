"""What a run measured, for readers: tables for the terminal and pictures."""
