"""Evidence for the simulator: agreement with others, equal behaviour, and speed."""
