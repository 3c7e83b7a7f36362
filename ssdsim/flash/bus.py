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


class DieLine:
    """Dies in the order in which they asked; a die stands in one line at most."""

    def __init__(self):
        self.head = None
        self.tail = None

    def append(self, die):
        """Put `die` at the end."""
        if self.head is None:
            self.head = die
        else:
            self.tail.next_asking = die
        self.tail = die

    def pop(self):
        """Take the die at the head out and return it, or None."""
        die = self.head
        if die is not None:
            self.head = die.next_asking
            die.next_asking = None
        return die


class FirstComeFirstServed(BusArbiter):
    """The bus goes to whoever has asked for longest."""

    name = "fcfs"

    def __init__(self):
        self.line = DieLine()

    def ask(self, die):
        """Put `die` at the end of the line."""
        self.line.append(die)

    def choose(self):
        """Take the die at the head of the line."""
        return self.line.pop()


class StartsFirst(BusArbiter):
    """Commands are started before data is moved out, so that no array idles behind the data of another die.

    Among starts and among data-outs, whoever has asked for longest goes first. A die whose data stands ready starts
    nothing, so it waits for one start of each other die at most in every bus phase.
    """

    name = "starts_first"

    def __init__(self):
        self.starts = DieLine()
        self.ready = DieLine()

    def ask(self, die):
        """Put `die` at the end of its line."""
        if die.transaction is None:
            self.starts.append(die)
        else:
            self.ready.append(die)

    def choose(self):
        """Take the die that has waited for longest to start, or else to move data out."""
        die = self.starts.pop()
        return die if die is not None else self.ready.pop()
