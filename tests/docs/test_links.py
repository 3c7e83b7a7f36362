"""Links that lead out of the project go to places that somebody has looked at; there is no network to try them."""

import json
import re
from urllib.parse import urlsplit

import pytest

from docs.names import PROJECT
from docs.notebooks import NOTEBOOKS

HOSTS = {
    "ui.perfetto.dev": r"",
    "doi.org": r"/10\.\d{4,9}/\S+",
    "arxiv.org": r"/abs/\d{4}\.\d{4,5}",
    "github.com": r"/NetworkBlockDevice/nbd/blob/master/doc/proto\.md",
}
"""Hosts that may be linked to, and what the path of a link to each looks like."""

PROSE = [
    *PROJECT.glob("*.md"),
    *(page for folder in ("docs", "traces", "experiments") for page in (PROJECT / folder).rglob("*.md")),
    *NOTEBOOKS,
]
PLACES = sorted(page for page in PROSE if "build" not in page.relative_to(PROJECT).parts)


def addresses(text):
    """Return the addresses in a text; full stops and brackets behind one are the sentence's."""
    return [
        each.rstrip(".,;:") for each in re.findall(r"(?!file|unix)\b\w+://[^\s)>\]\"'`]+|\bdoi:\s*\S+|\bwww\.\S+", text)
    ]


def is_sound(address):
    parts = urlsplit(address)
    return parts.scheme == "https" and bool(re.fullmatch(HOSTS.get(parts.netloc, r"(?!)"), parts.path))


@pytest.mark.parametrize("page", PLACES, ids=lambda page: page.relative_to(PROJECT).as_posix())
def test_addresses_are_those_of_known_hosts(page):
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".ipynb":
        text = "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
    assert [each for each in addresses(text) if not is_sound(each)] == []
