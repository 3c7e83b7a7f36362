"""The order in which a channel's bus is given to its dies."""


class BusArbiter:
    """Chooses which die is given the bus of one channel.

    A die asks once for each bus phase: to start a command when it is idle and has work, and to move the data of a read
    out when it stands ready. `ask` is called when it does, `choose` when the bus is free; `choose` returns a die that
    asked and has not been chosen since, or None. A die whose `transaction` is not None asks for a data-out.
    """

    def ask(self, die):
        """Take note that `die` wants the bus."""
        raise NotImplementedError

    def choose(self):
        """Return the die that is given the bus now, or None if none asks."""
        raise NotImplementedError


class FirstComeFirstServed(BusArbiter):
    """The bus goes to whoever has asked for longest."""

    name = "fcfs"

    def __init__(self):
        self.head = None
        self.tail = None

    def ask(self, die):
        """Put `die` at the end of the line."""
        if self.head is None:
            self.head = die
        else:
            self.tail.next_asking = die
        self.tail = die

    def choose(self):
        """Take the die at the head of the line."""
        die = self.head
        if die is not None:
            self.head = die.next_asking
            die.next_asking = None
        return die
