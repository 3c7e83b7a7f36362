"""The presets that an experiment is composed of, by group."""
