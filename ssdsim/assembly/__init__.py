"""From a configuration to a device: parts, what goes together, and how much room there is."""
