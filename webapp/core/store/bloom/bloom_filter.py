"""A Bloom filter in one string of the store, which forgets its oldest items when it is full.

The string holds a counter, then two halves of bits. New items go into the current half. When that
half has taken `capacity` items, the other half is cleared and becomes the current one. So the
newest `capacity` items are always remembered, and at most twice as many. An item is in the filter
if either half has it. There are no false negatives among the remembered items.

The sizes are Bloom's: a half that holds n items with m bits and k hashes reports a false positive
with probability (1 - e^(-kn/m))^k. For a rate p that is least at m = -n ln p / (ln 2)^2 bits and
k = m/n ln 2 hashes. Both halves are asked, so each is sized for half the rate.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha1
from math import ceil, log
from typing import Any

from webapp.core.store.client import RawReply
from webapp.core.store.reads import Command, Read, constant, read
from webapp.core.store.scripts import script

ADD = script("core/store/bloom/lua/add.lua")
CONTAINS = script("core/store/bloom/lua/contains.lua")
HEADER_BYTES = 8  # the counter of the current half, and which half that is


@dataclass(frozen=True, slots=True)
class BloomFilter:
    """The sizes of a filter: the newest `capacity` items, and how often it errs when full."""

    capacity: int
    error_rate: float

    @property
    def bits(self) -> int:
        """Return the number of bits of one half, a multiple of eight."""
        ideal = -self.capacity * log(self.error_rate / 2) / log(2) ** 2
        return 8 * ceil(ideal / 8)

    @property
    def hashes(self) -> int:
        """Return how many bits an item sets."""
        return max(round(self.bits / self.capacity * log(2)), 1)

    @property
    def bytes_max(self) -> int:
        """Return the largest size of the string, in bytes."""
        return HEADER_BYTES + self.bits // 4

    def add(self, key: str, items: Iterable[object], seconds: int = 0) -> Command:
        """Return the command that adds items; it replies how many were new to the current half.

        `seconds`: the filter expires so long after its last addition; 0: never. The items are at
        most a thousand, and not empty.
        """
        return ADD(
            filter=key,
            bits=self.bits,
            hashes=self.hashes,
            capacity=self.capacity,
            seconds=seconds,
            items=items,
        )

    def contained(self, key: str, items: Sequence[int]) -> Read[frozenset[int]]:
        """Read which of these items the filter has, probably. Others were never added."""
        if not items:
            return constant(frozenset())

        def parse(reply: Sequence[Any]) -> frozenset[int]:
            return frozenset(item for item, found in zip(items, reply, strict=True) if found)

        command = CONTAINS(filter=key, bits=self.bits, hashes=self.hashes, items=items)
        return read(command, parse)

    def whole(self, key: str) -> Read[Members]:
        """Read a whole filter, to ask for items that are read in the same trip."""
        return read(RawReply(("GET", key)), lambda stored: Members(self, stored or b""))


@dataclass(frozen=True, slots=True)
class Members:
    """A filter as it was read. `item in members`: True if it was added, probably."""

    filter: BloomFilter
    stored: bytes

    def __contains__(self, item: object) -> bool:
        if not self.stored:
            return False
        digest = sha1(str(item).encode(), usedforsecurity=False).digest()
        first, step = int.from_bytes(digest[:4]), int.from_bytes(digest[4:8])
        bits, hashes = self.filter.bits, self.filter.hashes
        places = [(first + number * step) % bits for number in range(hashes)]
        starts = (8 * HEADER_BYTES, 8 * HEADER_BYTES + bits)
        return any(all(self._has_bit(start + place) for place in places) for start in starts)

    def _has_bit(self, place: int) -> bool:
        byte, bit = divmod(place, 8)
        return byte < len(self.stored) and bool(self.stored[byte] & 0x80 >> bit)
