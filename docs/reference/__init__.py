"""The pages of the reference, each made by a function that returns Markdown."""

from collections.abc import Callable

from .commands import commands
from .fields import fields
from .interface import interface
from .keys import keys
from .policies import policies
from .shown import shown

PAGES: dict[str, Callable[[], str]] = {
    "keys": keys,
    "fields": fields,
    "policies": policies,
    "shown": shown,
    "commands": commands,
    "python": interface,
}
"""The pages by name."""
