"""A simulated drive as a network block device: the protocol, the data, and simulated time at the pace of the wall's."""
