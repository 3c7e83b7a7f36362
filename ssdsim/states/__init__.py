"""The states that a device can be brought into: filled, written to steadiness, read from a file, booted again."""
