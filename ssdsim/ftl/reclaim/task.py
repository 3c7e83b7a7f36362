"""What a reclaimer has under way in one unit of blocks."""

from cython.cimports.ssdsim._core.kernel import hold


class Task:
    """What is done in unit `number` to win back space there: one collection or merge at a time, or nothing.

    First pages are moved, then blocks erased; `moving` counts what of that is under way. What makes it `urgent` or
    `critical` is up to `ssdsim.ftl.reclaim.urgency`.
    """

    def __init__(self, number, width):
        self.number = number
        self.width = width
        self.plane = number * width
        self.idle = True
        self.called = self.invited = self.background = self.erasing = False
        self.urgent = self.critical = False
        self.moving = 0
        self.env = self.begin = None
        self.dies = []

    def bind(self, env, dies, begin):
        """Receive the clock, the dies of the unit, and what begins a task: it is called with this one."""
        self.env = env
        self.dies = dies
        self.begin = begin

    def call(self):
        """Have it begin at the end of this instant."""
        if not self.called:
            self.called = True
            hold(self.env, 0).callbacks.append(self.answer)

    def answer(self, event):
        """Begin the task that was called for."""
        self.called = False
        self.begin(self)

    def may_be_called(self):
        """Return whether nothing is under way, nor about to be."""
        return self.idle and not self.called
