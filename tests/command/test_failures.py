"""What goes wrong through no fault of the program: its sentence, its status, and that what is a bug is none of it."""

import errno

import pytest

from ssdsim.command.failures import expected, guarded
from ssdsim.errors import ConfigError, SimulationError


def test_a_sentence_is_told_with_its_notes_on_one_line():
    error = SimulationError("request 7\n  was lost.")
    error.add_note("Partial results could\nnot be written: no.")
    failure = expected(error)
    assert failure.message == "request 7 was lost. Partial results could not be written: no."
    assert failure.exit_status == 1


def test_what_a_sentence_quotes_cannot_reach_the_terminal():
    failure = expected(ConfigError("seed=\x1b[31m\u202e3: must be a whole number."))
    assert failure.message == r"seed=\x1b[31m\u202e3: must be a whole number."
    assert failure.exit_status == 2


@pytest.mark.parametrize("number", ["ENOSPC", "EDQUOT", "EFBIG", "EROFS", "EACCES", "EPERM", "EIO"])
def test_storage_that_takes_no_more_is_named(number):
    failure = expected(OSError(getattr(errno, number), "said by the system", "run/summary.json"))
    assert failure.message.startswith("run/summary.json: the results cannot be written: ") and failure.exit_status == 1
    assert expected(OSError(getattr(errno, number), "said")).message.startswith("the results cannot be written: ")


@pytest.mark.parametrize(
    "error", [OSError(errno.EBADF, "closed"), ZeroDivisionError(), KeyError("x"), AssertionError()]
)
def test_a_bug_is_not_told_in_a_sentence(error):
    assert expected(error) is None
    with pytest.raises(type(error)):
        guarded(lambda: (_ for _ in ()).throw(error))
