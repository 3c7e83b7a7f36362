"""What is asked of a plane allocation."""


class PlaneAllocation:
    """Chooses the plane of each write.

    `plane_for` is called once a page written and is cheap. It returns a plane, or -1 to say that no plane has room
    just now and that the write may go to whichever has room first. `keeps_plane` says that a logical page always goes
    to the same plane.
    """

    owed = ("plane_for(lpa) -> a whole number",)
    optional = ("cycle() -> a list of whole numbers or None",)
    keeps_plane = False

    def bind(self, hardware, frontier):
        """Receive the geometry and the write frontier, once, before the run."""
        self.frontier = frontier
        self.planes = hardware.planes

    def bind_mapping(self, mapping, blocks):
        """Receive the mapping and the state of the blocks, once, before the run."""

    def connect(self, dies, controllers):
        """Receive the dies and the flash controllers of the back end; until then writes take no time."""

    def plane_for(self, lpa):
        """Return the plane that the data of `lpa` is to be written to, or -1."""
        raise NotImplementedError

    def cycle(self):
        """Return the planes that consecutive logical pages, or super pages, go round whatever else is written, or None.

        A device can be filled many times as fast where that is known as where `plane_for` is called for each page.
        """

    def trimmed(self, ppa):
        """Take note that the logical page that `ppa` held is mapped to nothing now."""

    def filled(self):
        """Take note that not every page asked about so far holds data, as the device has been filled with some."""
