"""The documentation: what the site is made of beside its pages, from the declarations of the simulator itself."""
