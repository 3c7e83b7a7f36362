"""The leaky bucket that collections fill and the host's writes empty."""

from ssdsim.ftl.reclaim.progress import FUTILE_ROUNDS, PAGES_A_WRITE, Progress

PAGES = 100


def test_so_many_times_the_device_may_be_collected_without_a_write():
    progress = Progress(PAGES)
    assert all(progress.is_made(PAGES) for _ in range(FUTILE_ROUNDS))
    assert not progress.is_made(1)


def test_a_write_pays_for_so_many_pages():
    progress = Progress(PAGES)
    assert progress.is_made(FUTILE_ROUNDS * PAGES)
    progress.host_wrote()
    assert progress.is_made(PAGES_A_WRITE)
    assert not progress.is_made(1)


def test_writes_pay_for_what_was_collected_and_not_for_what_will_be():
    progress = Progress(PAGES)
    for _ in range(1000):
        progress.host_wrote()
    assert progress.is_made(FUTILE_ROUNDS * PAGES)
    assert not progress.is_made(1)
