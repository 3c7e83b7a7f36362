"""What shows that the simulator can be trusted: agreement with others, equal behaviour, speed, and long random runs."""
