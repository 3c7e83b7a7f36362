"""The host side: requests, streams, the device queue and the replay of arrivals."""
