"""The reference has all that is declared, with its sources, and examples are run as they stand."""

import inspect
import re

import pytest

from docs import examples
from docs.pictures.block_diagram import PARTS
from docs.reference.fields import fields
from docs.reference.keys import keys
from docs.reference.policies import policies
from docs.reference.shown import REQUEST, TRANSACTION, shown
from ssdsim.assembly.parts import CLASSES
from ssdsim.command.help import FILES
from ssdsim.config.keys import keys as declared
from ssdsim.config.registry import AXES, STATIC_ORDERS
from ssdsim.flash.transactions import Transactions
from ssdsim.flash.views import Transaction
from ssdsim.host.request import Request


def test_every_key_and_field_has_its_place():
    headings, rows = keys(), fields()
    assert all(headings.count(f"{{ #{name} }}\n") == 1 for name in {key.name for key in declared()})
    assert all(f"| `{field.name}` |" in rows for of in FILES.values() for field in of)


def test_every_policy_has_its_heading():
    page = policies()
    named = [(key, name) for key, axis in AXES.items() for name in axis.named if name not in STATIC_ORDERS[1:]]
    assert all(page.count(f"{{ #{key}.{name} }}\n") == 1 for key, name in named)


SOURCE = re.compile(r"\b(?:PA-SSD|SPD|TBM|PCFTL|flexFTL|MQSim|SSDSim|NVMe|(?:19|20)\d\d|of no paper)\b", re.IGNORECASE)


@pytest.mark.parametrize("key", CLASSES)
def test_each_policy_names_its_source(key):
    """A paper with its year or name and section, a standard, or that it is of none."""
    assert not [name for name, cls in CLASSES[key].items() if not SOURCE.search(inspect.getdoc(cls) or "")]


def test_what_policies_see_is_there_and_has_its_row():
    others = {"command", "number", "transactions"}
    assert set(TRANSACTION) == {name for name in dir(Transaction) if not name.startswith("_")} - others
    assert all(hasattr(Transactions(), name) or name == "partner" for name in TRANSACTION)
    assert all(hasattr(Request(), name) for name in REQUEST)
    assert "|  |" not in shown()


def test_every_policy_slot_is_in_the_block_diagram_once():
    shown = [key for *_, keys in PARTS for key in keys]
    assert sorted(shown) == sorted(AXES)


@pytest.mark.parametrize(
    ("shown", "right"),
    [
        ("reads      3\n── ──\ntook 0.1 s", True),
        ("reads 3\n...", True),
        ("...took ... s", True),
        ("reads 4\n...", False),
        ("reads 3", False),  # what is left out must be marked
        ("took ... s", False),
        ("...took ... ms", False),
    ],
)
def test_output_shown_is_the_output(shown, right):
    block, printed = examples.read(1, "text", shown), "reads 3\n───── ─\ntook 0.1 s\n"
    if right:
        examples.check_output(block, printed)
    else:
        with pytest.raises(examples.WrongPageError, match="this was printed"):
            examples.check_output(block, printed)
