"""The classes with which every room's `keys.py` declares its keys.

A key is `noun:{tag}:id:facet`. The hash tag puts all keys of one member into one partition
(`uid % 64`), so one script can change them together, on a Cluster too. `schema_docs.py` writes
`docs/data-layout.md` from these declarations.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from .ids import PARTITIONS, partition_of

# Short strings whose hash slot is 256p + 128: the 64 partitions are at even distances in the 16,384
# slots, so any number of primaries with contiguous ranges gets an even share of them.
PARTITION_TAGS = (
    "53t j3j if5 kec 574 74b akm 6bk 96a frw 0ip oin d1i 38o 0m0 xw "
    "he6 box 40w c9q hav 7ah 447 67a 1js fcu 0xr m5 1n3 3me e2j iu "
    "712 52d cmk 4dm 75r h5l 02bb ice 3y7 1za 2k6 8ax wu7 931 yg 8e8 "
    "7d8 5gn 621 41g jc0 qkn 66q i6o 3h5 1kc 2z4 0yb 3lu des he 802"
).split()


@dataclass(frozen=True, slots=True)
class String:
    """A string, with its content."""

    value: str = ""

    def __str__(self) -> str:
        return f"string: {self.value}" if self.value else "string"


@dataclass(frozen=True, slots=True)
class Hash:
    """A hash, with the meaning of its fields; without these, the key's description names them."""

    field: str = ""
    value: str = ""

    def __str__(self) -> str:
        return f"hash: {self.field} → {self.value}" if self.field else "hash"


@dataclass(frozen=True, slots=True)
class ZSet:
    """A sorted set, with the meaning of its members and scores."""

    member: str
    score: str

    def __str__(self) -> str:
        return f"zset: {self.member} → {self.score}"


@dataclass(frozen=True, slots=True)
class Set:
    """A set, with the meaning of its members."""

    member: str

    def __str__(self) -> str:
        return f"set of {self.member}"


@dataclass(frozen=True, slots=True)
class List:
    """A list; the key's description names its items."""

    def __str__(self) -> str:
        return "list"


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream: the fields of its entries."""

    fields: str

    def __str__(self) -> str:
        return f"stream: {self.fields}"


Type = String | Hash | ZSet | Set | List | Stream


class Key:
    """One key of the schema. Call it with the values that its shape names to get the key's name.

    `by` returns the partition that the first of these values lies in, whose tag is the `<tag>` of
    the shape; None for keys outside of partitions. The value itself may be left out of the shape.
    `fold`: how the first value of the shape is written. `build`: makes a name that is not just its
    shape.
    """

    by: Callable[[Any], int] | None = None

    def __init__(
        self,
        shape: str,
        type: Type,
        *,
        bound: str,
        doc: str,
        by: Callable[[Any], int] | None = None,
        fold: Callable[[Any], object] | None = None,
        build: Callable[..., str] | None = None,
    ) -> None:
        self.shape, self.type, self.bound, self.doc = shape, type, bound, " ".join(doc.split())
        self.by = by or self.by
        self._build = build or _builder(shape, self.by, fold)

    def __call__(self, *args: Any, **kwargs: Any) -> str:
        return self._build(*args, **kwargs)

    def prefix(self, number: Any = 0) -> str:
        """Return the prefix of the names, up to the first value of their shape.

        `number`: a partition, or an id in it, for keys that lie in one.
        """
        tag = PARTITION_TAGS[self.by(number)] if self.by else ""
        return self.shape.replace("<tag>", tag).partition("<")[0]

    @property
    def pattern(self) -> re.Pattern[str]:
        """Return the pattern that live keys of this kind match."""
        parts = re.split(r"(<\w+>)", self.shape)
        texts = ("[^:{}]+" if part.startswith("<") else re.escape(part) for part in parts)
        return re.compile("".join(texts) + r"\Z")


class MemberKey(Key):
    """A key of one member: `noun:{tag}:uid`, the `facets`, then `suffix`.

    It lies in that member's partition. `private`: nobody else's data refers to it, so it is removed
    with the account and nothing else changes.
    """

    id = "uid"
    every_private: ClassVar[list[MemberKey]] = []
    by = staticmethod(partition_of)

    def __init__(
        self,
        noun: str,
        type: Type,
        *,
        bound: str,
        doc: str,
        facets: str = "",
        suffix: str = "",
        private: bool = False,
    ) -> None:
        self.noun, self._suffix = noun, f":{suffix}" if suffix else ""
        shape = ":".join(filter(None, (f"{noun}:{{<tag>}}:<{self.id}>", facets, suffix)))
        super().__init__(shape, type, bound=bound, doc=doc)
        if private:
            self.every_private.append(self)

    def __call__(self, number: int, *facets: object) -> str:
        name = f"{self.noun}:{{{PARTITION_TAGS[number % PARTITIONS]}}}:{number}{self._suffix}"
        return ":".join((name, *map(str, facets))) if facets else name


class StatusKey(MemberKey):
    """A key of one status, in its author's partition."""

    id = "id"


class PartitionKey(Key):
    """A key of a whole partition: `noun:{tag}`. It is named by the partition, or an id in it."""

    by = staticmethod(partition_of)

    def __init__(self, noun: str, type: Type, *, bound: str, doc: str) -> None:
        super().__init__(f"{noun}:{{<tag>}}", type, bound=bound, doc=doc)


class SiteKey(Key):
    """A key that the site has once."""


def _builder(
    shape: str, by: Callable[[Any], int] | None, fold: Callable[[Any], object] | None
) -> Callable[..., str]:
    """Return the function that puts values into a shape, as Key says."""
    template, count = re.subn(r"<\w+>", "%s", shape)

    def build(*values: Any) -> str:
        tag = (PARTITION_TAGS[by(values[0])],) if by else ()
        rest = values[1:] if by and len(values) == count else values
        if fold:
            rest = (fold(rest[0]), *rest[1:])
        return template % (*tag, *rest)

    return build


def partition_tag(number: int) -> str:
    """Return the hash tag of the partition of a member id or a status id."""
    return PARTITION_TAGS[partition_of(number)]
