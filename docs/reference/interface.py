"""The page of the Python interface, which mkdocstrings makes of docstrings and types."""

import ssdsim

HEAD = "# Python interface\n\nEverything that `import ssdsim` gives."


def interface() -> str:
    """Return the page: each public name by its full name, functions first."""
    homes = {name: home for home, names in ssdsim.HOMES.items() for name in names}
    places = [f"::: {homes[name]}.{name}" for name in sorted(homes, key=lambda name: (name[0].isupper(), name))]
    return "\n\n".join([HEAD, *places])
