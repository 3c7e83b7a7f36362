"""Where each logical page lies, and what of that the controller knows: the mapping schemes."""
