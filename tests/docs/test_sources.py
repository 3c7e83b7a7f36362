"""Every policy says where it is from: a paper with its year or name and section, a standard, or that it is of none."""

import inspect
import re

import pytest

from ssdsim.assembly.parts import CLASSES

SOURCE = re.compile(r"\b(?:PA-SSD|SPD|TBM|PCFTL|flexFTL|MQSim|SSDSim|NVMe|(?:19|20)\d\d|of no paper)\b", re.IGNORECASE)


@pytest.mark.parametrize("key", CLASSES)
def test_each_policy_names_its_source(key):
    assert not [name for name, cls in CLASSES[key].items() if not SOURCE.search(inspect.getdoc(cls) or "")]
