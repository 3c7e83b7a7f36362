"""Several victims of a plane at once, as MQSim collects."""

from array import array

import cython

if cython.compiled:
    from cython.cimports.ssdsim.ftl.reclaim.collection import Collection
    from cython.cimports.ssdsim.ftl.reclaim.collector import Collector
    from cython.cimports.ssdsim.ftl.reclaim.course import Course
else:
    from ssdsim.ftl.reclaim.collection import Collection
    from ssdsim.ftl.reclaim.collector import Collector
    from ssdsim.ftl.reclaim.course import Course


class SideBySide(Collector):
    """Collects as many victims of a plane at once as blocks are reserved, each from its first read to its erase.

    Source: `Check_gc_required`, and who calls it, of MQSim's GC_and_WL_Unit and Flash_Block_Manager. One begins when a
    block has been taken, for the host's data or for moved data, and fewer than the soft threshold are free then; and,
    when another one is over, if the host's writes find no room even so. Where none is under way and the host has no
    room, one begins as soon as there is a victim.

    A victim's pages fit into a block. With no more under way than there are free blocks, of which the host leaves the
    reserved ones, all of them have room. How urgent all are is up to the level, and the first of a plane stands for
    them: it alone knows the die.
    """

    def __init__(self, blocks, mapping, frontier, unit, moves, page_types, config, hardware):
        Collector.__init__(self, blocks, mapping, frontier, unit, moves, page_types, config, hardware)
        self.course = SideBySideCourse(self, moves, self.port, self.course.moves_in_flight, self.over)
        self.places = config.reserved_blocks
        self.tasks = [
            moves.collection_of(number, self.width) if place else self.units[number]
            for number in range(len(self.units))
            for place in range(self.places)
        ]
        self.free_before = array("q", [0] * len(self.units))

    def bind(self, env, scheduler, pool, dies, listener, rows):
        """Receive the clock, the back end and whoever waits for space."""
        Collector.bind(self, env, scheduler, pool, dies, listener, rows)
        for collection in self.tasks:
            if collection is not self.units[collection.number]:
                collection.bind(env, [], self.collect)

    def consider(self, plane):
        """Have `plane` collected if that is wanted; asked when the host's data there changes."""
        self.units[plane // self.width].futile = 0
        self.progress.host_wrote()
        self.look(plane // self.width)

    def reconsider(self, plane):
        """As `consider`, where the host did not write."""
        self.look(plane // self.width)

    def write_done(self, plane):
        """As `consider`, as a write is done: its block may be full, and have dead pages."""
        self.units[plane // self.width].futile = 0
        self.look(plane // self.width)

    def look(self, number):
        """Begin a collection if a block has been taken since the last look, or if the host is stuck without one."""
        head: Collection = self.units[number]
        level = self.unit.level(number)
        taken = level < self.free_before[number]
        self.free_before[number] = level
        if level >= self.unit.soft:
            return
        if self.scheduler is None:
            self.collect_now(head)
            return
        self.urgency.hold_against(head, level)
        if taken or not (self.under_way(number) or self.unit.has_room(number)):
            self.begin_another(number)

    def begin_another(self, number):
        """Have one more collection begin, if there is a place for it."""
        collection: Collection
        for place in range(number * self.places, (number + 1) * self.places):
            collection = self.tasks[place]
            if collection.may_be_called():
                self.answer(collection)
                return

    def under_way(self, number):
        """Return how many collections of a unit are under way, or called for."""
        collection: Collection
        count = 0
        for place in range(number * self.places, (number + 1) * self.places):
            collection = self.tasks[place]
            count += not collection.may_be_called()
        return count

    def choose(self, collection):
        """Choose a victim for which there is room beside those under way, and return whether there is any."""
        under_way = 0
        for place in range(collection.number * self.places, (collection.number + 1) * self.places):
            under_way += not self.tasks[place].idle
        if under_way and self.frontier.free_blocks(collection.number) <= under_way:
            return False
        return Collector.choose(self, collection)

    def over(self, collection):
        """Be done with a collection, give the host what was won, and begin another if that is not enough for it."""
        head: Collection = self.units[collection.number]
        collection.erasing = False
        collection.idle = True
        self.finish(collection)
        self.urgency.update(head)
        self.free_before[collection.number] = self.unit.level(collection.number)
        self.space_freed_by(collection)
        if self.unit.level(collection.number) < self.unit.soft and not self.unit.has_room(collection.number):
            self.begin_another(collection.number)


class SideBySideCourse(Course):
    """The course of each of them: a page that is moved may take a block, too."""

    def done(self, transaction):
        """Go on with a collection, and see whether that has taken a block."""
        plane = transaction.plane
        Course.done(self, transaction)
        self.reclaimer.reconsider(plane)
