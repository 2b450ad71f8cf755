"""Find values by the boxes around a point."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

from .postings import Postings
from .predicates import Box

V = TypeVar("V", bound=Hashable)
Cell = tuple[int, int, int]  # scale, x and y of a square


class BoxIndex(Generic[V]):
    """Values by box.

    The map is cut into squares at several scales, each twice as fine as the one before. A box lies
    in at most four squares of the finest scale whose squares are not smaller than the box. A point
    lies in one square of each scale.
    """

    SCALES = range(-3, 10)  # squares of 2**scale degrees: from 0.125 to 512

    def __init__(self) -> None:
        self._squares: Postings[Cell, tuple[Box, V]] = Postings()

    def add(self, box: Box, value: V) -> None:
        """Add a value to a box."""
        for square in self._covering(box):
            self._squares.add(square, (box, value))

    def discard(self, box: Box, value: V) -> None:
        """Remove a value from a box."""
        for square in self._covering(box):
            self._squares.discard(square, (box, value))

    def find(self, point: tuple[float, float]) -> Iterator[V]:
        """Yield the values of all boxes around a latitude and longitude, some more than once."""
        latitude, longitude = point
        for scale in self.SCALES:
            square = scale, _square(longitude, scale), _square(latitude, scale)
            for box, value in self._squares.values(square):
                if box.contains(point):
                    yield value

    def _covering(self, box: Box) -> Iterator[Cell]:
        """Yield the squares that a box is listed under."""
        side = max(box.east - box.west, box.north - box.south)
        scale = max(math.frexp(side)[1], self.SCALES[0])
        for x in range(_square(box.west, scale), _square(box.east, scale) + 1):
            for y in range(_square(box.south, scale), _square(box.north, scale) + 1):
                yield scale, x, y


def _square(degrees: float, scale: int) -> int:
    return math.floor(math.ldexp(degrees, -scale))
