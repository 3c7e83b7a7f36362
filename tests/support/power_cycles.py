"""A device that loses power again and again, and what its host may rely on: a model that knows nothing of its books.

The model follows the commands as they end, which say when a version of a logical page has reached the cells, and the
answers to requests. Cells that were not programmed hold nothing when power is back, whatever was about to be written.
"""

import sys
from bisect import bisect_left

import numpy as np

from ssdsim._core.codes import COPYBACK, FLUSH, HOST, PROGRAM, READ, TRIM, WRITE
from ssdsim._core.kernel import EmptySchedule, make_environment
from ssdsim._core.rebuild import content_word
from ssdsim.host.request import Request
from ssdsim.stage import Stage

GARBAGE = 0x5EED
"""What stands for data in pages that were never programmed."""


class Host(Stage):
    """Sends requests to a device that it can cut the power of, and holds it to what it has been promised.

    `durable` has the newest version of each logical page that the cells were given; a trim puts an end to that promise,
    when it is asked for. `wanted` has the time of the last write that was answered and not trimmed since. Times are
    counted in what happens; `versions` has the first version not yet given out at each of them.
    """

    observes = ("done",)

    def __init__(self, config, full, modules=sys.modules):
        self.config = config
        self.modules = modules
        self.pages, self.page_bytes = config.hardware.logical_pages, config.hardware.page_bytes
        self.together = config.super_page
        self.device = modules["ssdsim.assembly.device"].Device(config)
        self.durable = [0] * self.pages
        self.wanted = [-1] * self.pages
        self.trimmed = [-1] * self.pages
        self.trims = [0] * self.pages
        self.versions = []
        self.outstanding = self.cuts = self.restored = self.lost = self.answered = 0
        self.quiescent = False
        self.tick()
        self.power_up()
        for lpa in range(self.pages if full else 0):
            self.ask(WRITE, lpa)
            self.settle(8)

    def power_up(self):
        """Give the device a clock."""
        self.env = make_environment("compiled", 0 if not self.cuts else int(self.env.now) + 1000)
        self.device.connect(self.env)
        self.device.observers.add(self)
        self.outstanding = 0
        while self.env.peek() <= self.env.now:  # processes begin
            self.step(1)

    def tick(self):
        """Let time pass."""
        self.versions.append(self.device.layer.admission.version + 1)

    def born(self, version):
        """Return when `version` was given out."""
        return bisect_left(self.versions, version + 1)

    # Requests.

    def ask(self, op, lpa=0, pages=1, sectors=0):
        """Send a request for whole pages, or for the first `sectors` of one."""
        request = Request()
        request.owner, request.op, request.about = self, op, len(self.versions)
        if op != FLUSH:
            request.offset_bytes = lpa * self.page_bytes
            request.size_bytes = sectors * 512 if sectors else pages * self.page_bytes
        if op == TRIM:
            for each in self.trimmed_by(request):
                self.durable[each] = 0
                self.wanted[each] = -1
                self.trimmed[each] = len(self.versions)
                self.trims[each] += 1
        self.outstanding += 1
        if self.device.activity is not None:
            self.device.activity.began()
        self.device.front.submit(request)
        self.tick()

    def send_any(self, random, ops, pages):
        """Send some requests of any kind for the first `pages`, as `random` has it; `ops` are shares of the kinds."""
        for _ in range(random.choice([0, 1, 5, 30, 80])):
            op = random.choices([WRITE, READ, TRIM, FLUSH], ops)[0]
            lpa = random.randrange(pages)
            most = min(random.choice([1, 1, 1, 2, 3, 8]), self.pages - lpa)
            self.ask(op, lpa, most, random.choice([0] * 9 + [1, 7]) if op in (READ, WRITE) else 0)
            if random.random() < 0.7:
                self.settle(random.choice([0, 4, 16, 255]))
            else:
                self.step(random.randrange(40))
        if random.random() < 0.3:
            self.settle()

    def touched(self, request):
        """Return the logical pages of a request."""
        first = request.offset_bytes // self.page_bytes
        return range(first, first - (-request.size_bytes // self.page_bytes))

    def trimmed_by(self, request):
        """Return the logical pages that a trim forgets: those that it covers, super pages as such."""
        size = self.together * self.page_bytes
        first = -(-request.offset_bytes // size)
        last = (request.offset_bytes + request.size_bytes) // size
        return range(first * self.together, last * self.together)

    def completed(self, request):
        """Hold the answer to a request against what has been programmed."""
        self.outstanding -= 1
        self.answered += 1
        if self.device.activity is not None:
            self.device.activity.ended()
        if request.op == WRITE:
            for lpa in self.touched(request):
                if not self.trims[lpa] and self.trimmed[lpa] < request.about:
                    self.wanted[lpa] = max(self.wanted[lpa], request.about)
                    assert self.is_buffered or self.is_in_flash(lpa, request.about)
        elif request.op == TRIM:
            for lpa in self.trimmed_by(request):
                self.trims[lpa] -= 1
                self.trimmed[lpa] = len(self.versions)
        elif request.op == FLUSH:
            assert all(self.is_in_flash(lpa, at) for lpa, at in enumerate(self.wanted) if 0 <= at < request.about)

    @property
    def is_buffered(self):
        """Whether writes are answered before they are programmed."""
        return self.device.buffer is not None or self.config.flash.write_complete == "transfer_end"

    @property
    def keeps_all(self):
        """Whether what was answered outlasts a loss of power; where that is before the program, chips may have it."""
        kept = self.device.buffer is not None and self.config.power_loss.capacitor
        return kept and self.config.flash.write_complete == "program_end"

    def is_in_flash(self, lpa, at):
        """Return whether what was written to `lpa` at some time is in flash."""
        return self.durable[lpa] > 0 and self.born(self.durable[lpa]) >= at

    def done(self, transaction, end_ns):
        """Record a command that has ended."""
        lpa = transaction.lpa
        if transaction.source != HOST or lpa < 0:
            return
        version = self.device.contents.get(transaction.ppa)
        if transaction.op == PROGRAM:
            assert transaction.request is None or version == transaction.version
            fresh = not self.trims[lpa] and self.born(version) > self.trimmed[lpa]
            if fresh and version > self.durable[lpa]:
                self.durable[lpa] = version
        elif self.quiescent:
            assert version >= self.durable[lpa]

    # Time.

    def step(self, events):
        """Let so many events happen, or all that will."""
        for _ in range(events):
            try:
                self.env.step()
            except EmptySchedule:
                assert not self.outstanding, [*self.device.waiting()]
                return
            self.tick()

    def settle(self, outstanding=0):
        """Wait until no more than so many requests are outstanding."""
        left = 200_000
        while self.outstanding > outstanding:
            self.step(1)
            left -= 1
            assert left, [*self.device.waiting()]

    # Power.

    def lose_power(self):
        """Cut power, erase what was never programmed, boot again, and see what is left."""
        blocks, before = self.device.blocks, self.device
        endangered = self.pages_of_programs_in_flight()
        power_loss = self.modules["ssdsim.run.power_loss"]
        remains = power_loss.cut_power(self.device, int(self.env.now))
        erase_unprogrammed(blocks, remains)
        self.cuts += 1
        self.device, report = power_loss.reboot(self.config, remains)
        assert (self.device.erases() >= before.erases()).all()
        self.device.check()
        in_doubt = sum(count > 0 for count in self.trims)  # which a trim was under way to
        lost = self.compare()
        self.restored += report["recovered"]
        self.lost += len(lost)
        assert len(lost) <= report["lost_in_flash"] <= len(lost) + in_doubt, (report, lost)
        assert lost <= (endangered if self.may_lose else set()), f"lost: {sorted(lost)}"
        if not self.is_buffered:
            assert report["lost_buffered"] == 0
        self.check_buffer()
        self.power_up()
        self.device.check()
        return report

    @property
    def may_lose(self):
        """Whether the stack promises nothing about paired pages."""
        return self.config.ftl.backup == "none" and self.config.hardware.page_types > 1

    def pages_of_programs_in_flight(self):
        """Return the logical pages on the wordlines that are being programmed."""
        blocks, order, found = self.device.blocks, self.device.order, set()
        for die in self.device.dies:
            transaction = die.transaction
            while transaction is not None:
                if transaction.op in (PROGRAM, COPYBACK) and transaction.array_start_ns >= 0:
                    first = transaction.block * blocks.pages_per_block
                    for page_type in range(order.types):
                        page = order.page_of(order.wordline_of(transaction.page), page_type)
                        found.add(blocks.spare.get(first + page))
                transaction = transaction.partner
        return found

    def compare(self):
        """Return the logical pages that hold less than had been promised, and expect from now on what is there."""
        contents, blocks, lost = self.device.contents, self.device.blocks, set()
        for lpa in range(self.pages):
            ppa = self.device.mapping.lookup(lpa)
            found = 0
            if ppa >= 0:
                found = contents.get(ppa)
                assert 0 <= found <= self.device.layer.admission.version
                assert blocks.is_programmed(ppa) and blocks.is_valid(ppa) and blocks.spare.get(ppa) == lpa
                assert contents.word_of(ppa) == content_word(lpa, found)
            if found < self.durable[lpa]:
                lost.add(lpa)
                self.wanted[lpa] = -1
            self.durable[lpa] = found
            self.trims[lpa] = 0
            self.trimmed[lpa] = -1
        return lost

    def check_buffer(self):
        """Hold the buffer to its capacitor: what was answered is in it, or in flash; without one nothing is."""
        held = set() if self.device.buffer is None else {entry.lpa for entry in self.device.buffer.unwritten()}
        for lpa, at in enumerate(self.wanted):
            if at < 0 or self.is_in_flash(lpa, at):
                continue
            if self.keeps_all:
                assert lpa in held, lpa
            else:
                self.wanted[lpa] = -1
        assert not held or self.config.power_loss.capacitor

    def read_all(self):
        """Read every logical page, with nothing else going on."""
        self.settle()
        self.quiescent = self.device.buffer is None or not self.device.buffer.used
        for lpa in range(self.pages):
            self.ask(READ, lpa)
            self.settle(8)
        self.settle()
        self.quiescent = False


def erase_unprogrammed(blocks, remains):
    """Have pages that were never programmed hold nothing, and what was to become of them be forgotten."""
    contents, order = remains.contents, blocks.order
    _, stamps, *_ = contents.columns()
    types = np.array([order.type_of(page) for page in range(order.pages)])
    wordlines = np.array([order.wordline_of(page) for page in range(order.pages)])
    programmed = wordlines < remains.programmed[:, types]
    for ppa in np.flatnonzero(~programmed.ravel()).tolist():
        contents.put(ppa, GARBAGE, 0)
        stamps[ppa] = 0
        remains.spare.set(ppa, GARBAGE)
        contents.notes.pop(ppa, None)
