"""A host that drives a device step by step, cuts its power, and holds it to its promises (`support.promises`)."""

import sys

import numpy as np

import ssdsim.run.simulation  # noqa: F401 - and with it the modules that a host is given
from ssdsim._core.codes import COPYBACK, FLUSH, HOST, PROGRAM, READ, TRIM, WRITE
from ssdsim._core.either_kernel import make_environment
from ssdsim._core.kernel import EmptySchedule
from ssdsim.flash.views import dies_of
from ssdsim.host.request import SECTOR, Request
from ssdsim.stage import Stage
from support.promises import Promises

GARBAGE = 0x5EED
"""What stands for data in pages that were never programmed."""
MOST_EVENTS = 200_000
"""Events in which a device must have got on with what it was asked."""


class Host(Stage):
    """Sends requests to a device that it can cut the power of, and holds it to what it has been promised.

    The device gets a clock with the first request after it was built, or has booted. Cells that were not programmed
    hold nothing when power is back, whatever was about to be written. `modules` are those of ssdsim to be used.
    """

    observes = ("done",)

    def __init__(self, config, modules=sys.modules):
        self.config = config
        self.modules = modules
        self.pages, self.page_bytes = config.hardware.logical_pages, config.hardware.page_bytes
        self.device = self.module("assembly.device").Device(config)
        self.promises = Promises(config)
        self.outstanding = 0
        self.now_ns = 0
        self.env = None

    def module(self, name):
        """Return a module of ssdsim."""
        return self.modules[f"ssdsim.{name}"]

    # Steps.

    def write(self, lpa, sectors, first=0):
        """Write some sectors, from sector `first` of page `lpa` on."""
        self.ask(WRITE, lpa, sectors, first)

    def read(self, lpa, sectors, first=0):
        """Read some sectors."""
        self.ask(READ, lpa, sectors, first)

    def trim(self, lpa, sectors, first=0):
        """Trim some sectors."""
        self.ask(TRIM, lpa, sectors, first)

    def flush(self):
        """Ask for all to be written to flash."""
        self.ask(FLUSH)

    def fill(self):
        """Write every page, in order."""
        for lpa in range(self.pages):
            self.ask(WRITE, lpa)
            self.settle(8)

    def run(self, events):
        """Let so many events happen, or all that will."""
        self.connect()
        for _ in range(events):
            if not self.happens():
                return

    def idle(self, us):
        """Wait until all is answered, and for as long as that besides."""
        self.settle()
        self.env.run(until=self.env.now + us * 1000)

    def read_all(self):
        """Read every logical page when all is answered."""
        self.settle()
        for lpa in range(self.pages):
            self.ask(READ, lpa)
            self.settle(8)
        self.settle()

    def end(self):
        """Have all that was written in flash, and read it."""
        self.settle()
        self.ask(FLUSH)
        self.read_all()
        self.device.check()

    def check(self):
        """Hold the books right."""
        self.device.check()

    # Requests.

    def ask(self, op, lpa=0, sectors=0, first=0):
        """Send a request for some sectors, or for the whole of page `lpa`."""
        self.connect()
        request = Request()
        request.owner, request.op = self, op
        start = lpa * self.promises.sectors + first
        sectors = 0 if op == FLUSH else sectors or self.promises.sectors
        request.offset_bytes, request.size_bytes = start * SECTOR, sectors * SECTOR
        request.id, request.data = self.promises.sent(op, start, sectors)
        request.fua = self.promises.has_fua(request.id)
        self.outstanding += 1
        request.queue_length = self.outstanding
        if self.device.activity is not None:
            self.device.activity.began()
        self.device.front.submit(request)

    def send_any(self, random, ops, pages):
        """Send some requests of any kind for the first `pages`, as `random` has it; `ops` are shares of the kinds."""
        for _ in range(random.choice([0, 1, 5, 30, 80])):
            op = random.choices(["write", "read", "trim", "flush"], ops)[0]
            lpa = random.randrange(pages)
            most = min(random.choice([1, 1, 1, 2, 3, 8]), self.pages - lpa) * self.promises.sectors
            part = random.choice([0] * 9 + [1, 7])
            given = {"lpa": lpa, "sectors": min(part, self.promises.sectors - 1) or most if op != "trim" else most}
            getattr(self, op)(**(given if op != "flush" else {}))
            if random.random() < 0.7:
                self.settle(outstanding=random.choice([0, 4, 16, 255]))
            else:
                self.run(events=random.randrange(40))
        if random.random() < 0.3:
            self.settle()

    def completed(self, request):
        """Hold the answer to a request against what has been promised."""
        self.outstanding -= 1
        if self.device.activity is not None:
            self.device.activity.ended()
        self.promises.answered(request.id, request.data)

    def done(self, transactions, number, end_ns):
        """Record a command that has ended."""
        lpa = transactions.lpa[number]
        if transactions.op[number] == PROGRAM and transactions.source[number] == HOST and lpa >= 0:
            self.promises.programmed(lpa, transactions.data[number])

    # Time.

    def connect(self):
        """Give the device a clock, unless it has one."""
        if self.env is None:
            self.env = make_environment(self.config.kernel, self.now_ns)
            self.device.connect(self.env)
            self.device.observers.add(self)
            while self.env.peek() <= self.env.now:  # processes begin
                self.happens()

    def happens(self):
        """Let an event happen, and return whether there was one."""
        try:
            self.env.step()
        except EmptySchedule:
            assert not self.outstanding, f"hangs: {[*self.device.waiting()]}"
            return False
        return True

    def settle(self, outstanding=0):
        """Wait until no more than so many requests are outstanding."""
        self.connect()
        left = MOST_EVENTS
        while self.outstanding > outstanding:
            self.happens()
            left -= 1
            assert left, f"gets nowhere: {[*self.device.waiting()]}"

    # Power.

    def lose_power(self):
        """Cut power, erase what was never programmed, boot again, and see what is left.

        With FAST, which no loss of power goes with, nothing happens.
        """
        if self.config.ftl.mapping.scheme == "fast":
            return {}
        power_loss, before = self.module("states.power_loss"), self.device
        endangered = self.pages_of_programs_in_flight()
        self.now_ns = int(self.env.now) if self.env is not None else self.now_ns
        remains = power_loss.cut_power(before, self.now_ns, list(self.promises.open))
        erase_unprogrammed(before.blocks, remains)
        self.device, report = power_loss.reboot(self.config, remains)
        self.env, self.outstanding = None, 0
        self.now_ns += 1000
        assert (self.device.blocks.column("erases") >= before.blocks.column("erases")).all()
        self.device.check()
        lost = self.promises.power_lost(*self.images(), endangered)
        assert len(lost) <= report["lost_in_flash"], report
        assert report["lost_in_flash"] <= len(endangered), report
        if not self.promises.terms.paired_pages_are_lost:
            assert report["lost_in_flash"] == 0, report
        if self.promises.terms.answered == "in flash":
            assert report["lost_buffered"] == 0, report
        return report

    def images(self):
        """Return what each logical page holds, and what of it is in flash."""
        table, cells = self.device.mapping.table, self.device.data.cells
        ppas = map(table.get, range(self.pages))
        in_flash = [0 if ppa < 0 else cells[ppa] for ppa in ppas]
        found = [self.device.front.newest(lpa) for lpa in range(self.pages)]
        assert self.config.power_loss.capacitor or found == in_flash
        return found, in_flash

    def pages_of_programs_in_flight(self):
        """Return the logical pages on the wordlines that are being programmed."""
        blocks, order, found = self.device.blocks, self.device.blocks.order, set()
        for die in dies_of(self.device.dies):
            for written in (page for command in die.commands for page in command.command()):  # one may be suspended
                if written.op in (PROGRAM, COPYBACK) and written.array_start_ns >= 0:
                    first = written.block * blocks.pages_per_block
                    for page_type in range(order.types):
                        page = order.page_of(order.wordline_of(written.page), page_type)
                        found.add(blocks.spare.get(first + page))
        return found


def erase_unprogrammed(blocks, remains):
    """Have pages that were never programmed hold nothing, and what was to become of them be forgotten."""
    contents, order = remains.contents, blocks.order
    _, stamps, *_ = contents.columns()
    types = np.array([order.type_of(page) for page in range(order.pages)])
    wordlines = np.array([order.wordline_of(page) for page in range(order.pages)])
    programmed = wordlines < remains.programmed[:, types]
    for ppa in np.flatnonzero(~programmed.ravel()).tolist():
        contents.put(ppa, 0)
        stamps[ppa] = 0
        remains.spare.set(ppa, GARBAGE)
        contents.notes.pop(ppa, None)
