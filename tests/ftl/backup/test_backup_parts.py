"""The parts of backups alone: the blocks that they are written to, and what they let be programmed."""

from functools import reduce
from operator import xor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim._core.blocks import Blocks
from ssdsim._core.program_order import ProgramOrder
from ssdsim.ftl.backup import Backup
from ssdsim.ftl.backup.blocks import BackupBlocks
from ssdsim.ftl.frontier.interface import NO_TRANSLATION

WORDLINES = 4


def mlc(planes=1, backs_up=True):
    """Return blocks of two page types, in the relaxed order."""
    order = ProgramOrder(WORDLINES, 2, "rps")
    return Blocks(planes, 6, 2 * WORDLINES, order=order, backs_up=backs_up)


@pytest.mark.parametrize(("first_translation", "writers"), [(NO_TRANSLATION, 1), (100, 2)])
def test_each_plane_and_writer_has_blocks_of_its_own_on_the_plane_that_serves_it(first_translation, writers):
    blocks = mlc(planes=4)
    places = BackupBlocks(blocks, 2, True, 2, first_translation)
    places.start()
    assert sorted(places.lane) == sorted(block for lane in places.ready for block in lane)
    for lane, ready in enumerate(places.ready):
        assert len(ready) == 2
        assert {blocks.plane_of(block) for block in ready} == {(lane // writers + 2) % 4}


def test_two_blocks_are_written_in_turn_and_only_their_fast_pages():
    blocks = mlc()
    places = BackupBlocks(blocks, 2, True, 0, NO_TRANSLATION)
    places.start()
    first, second = places.ready[0]
    given = [places.next_page(0) for _ in range(2 * WORDLINES)]
    assert [blocks.block_of(ppa) for ppa in given] == [first] * WORDLINES + [second] * WORDLINES
    assert {blocks.type_of(ppa) for ppa in given} == {0}
    assert places.next_page(0) == -1
    assert places.in_use == {first: WORDLINES, second: WORDLINES}


@given(st.permutations(range(WORDLINES)))
def test_pages_are_let_go_on_in_the_order_of_wordlines_whatever_that_of_backups(interpreted, order):
    needed = interpreted["ssdsim.ftl.backup.needed"]
    blocks = mlc()
    block = blocks.take_free(0)
    backups = [Backup(block, 0, wordline, 1, -1) for wordline in range(WORDLINES)]
    index = needed.NeededBackups(blocks)
    for backup in backups:
        index.keep(backup)
        assert index.has(block, 0, backup.first) and not index.has(block, 1, backup.first)
    for done, wordline in enumerate(order):
        backups[wordline].written = True
        index.let_program(backups[wordline])
        missing = [each for each in range(WORDLINES) if each not in order[: done + 1]]
        assert blocks.wordlines_backed_up(block, 0) == min(missing, default=WORDLINES)


def test_a_page_of_parity_covers_pages_of_its_type_and_holds_the_xor_of_their_logical_pages(interpreted):
    blocks = mlc(backs_up=False)
    contents = interpreted["ssdsim.flash.contents"].Contents(blocks.pages, 32, 2 * WORDLINES)
    block = blocks.take_free(0)
    for lpa in (9, 5, 12):
        ppa = blocks.append(block, lpa)
        contents.put(ppa, lpa, lpa)
    backup = interpreted["ssdsim.ftl.backup"].Backup(block, 0, 0, 3, -1)
    coverage = interpreted["ssdsim.ftl.backup.needed"].Coverage(blocks, contents)
    covered = coverage.covered(backup)
    assert covered[0] == coverage.first_covered(backup)
    assert [blocks.type_of(ppa) for ppa in covered] == [0] * 3
    backup.ppa = blocks.pages - 1
    coverage.compute(backup)
    known = [ppa for ppa in covered if contents.get(ppa) >= 0]
    assert backup.lpa == reduce(xor, [blocks.spare.get(ppa) for ppa in known])
