"""The shape that studies had before; those of the papers that are not on the new one yet use it."""
