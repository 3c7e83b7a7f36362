"""How urgent it is to win back space in a unit of blocks, and that its die knows."""


class Urgency:
    """Whether the work in one unit has the turns of the host's writes on its die, or those of its reads, too.

    What that depends on is up to the subclass; the die counts the units that are urgent or critical.
    """

    def __init__(self):
        self.die = None
        self.urgent = self.critical = False

    def bind(self, die):
        """Receive the die, once flash has timing."""
        self.die = die

    def update(self):
        """Settle anew how urgent it is; asked whenever space has been taken or won."""
        raise NotImplementedError

    def set(self, urgent, critical):
        """Let the die know what has changed."""
        if urgent != self.urgent:
            self.urgent = urgent
            self.die.urgent_planes += 1 if urgent else -1
        if critical != self.critical:
            self.critical = critical
            self.die.critical_planes += 1 if critical else -1

    def began(self, sequence):
        """Let the die know that a collection begins, before the transaction of that number."""
        self.die.collection_began = sequence


class UrgencyByLevel(Urgency):
    """Urgent below the hard threshold; critical where it yields to no reads, or the host's writes find no room."""

    def __init__(self, unit, number, yields_to_reads):
        Urgency.__init__(self)
        self.unit = unit
        self.number = number
        self.yields_to_reads = yields_to_reads

    def update(self):
        """Settle it by the present level."""
        self.hold_against(self.unit.level(self.number))

    def hold_against(self, level):
        """Settle it by `level`, the present one."""
        urgent = level < self.unit.hard
        if urgent or self.urgent:
            self.set(urgent, urgent and not (self.yields_to_reads and self.unit.has_room(self.number)))
