"""Pictures of statuses, as statuses store them. staging.py stores their files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

import orjson

from webapp.core.media.storage import rendition_sides

SIDES = ("top", "bottom", "left", "right")
POINT = re.compile(r"(10|[0-9])-(10|[0-9])")  # tenths from the left and from the top


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of a status. Its size is that of its largest file, in pixels."""

    name: str
    width: int
    height: int
    alt: str = ""  # alternative text
    colours: str = ""  # nine colours, six hex digits each, row by row
    focus: str = ""  # one of SIDES or a POINT: the part that cropping keeps; "": the middle
    digest: str = field(default="", compare=False)  # hash of its file; statuses do not store it
    query: str = ""  # of its addresses, signed for one reader

    @property
    def paths(self) -> list[tuple[str, int, int]]:
        """Return the path, width and height of each of its files, the largest last."""
        long_side = max(self.width, self.height)
        scales = [
            (side, min(side / long_side, 1)) for side in rendition_sides(self.width, self.height)
        ]
        sizes = [
            (side, round(self.width * scale) or 1, round(self.height * scale) or 1)
            for side, scale in scales
        ]
        return [
            (f"/media/{self.name}-{side}.webp{self.query}", width, height)
            for side, width, height in sizes
        ]

    @property
    def path(self) -> str:
        """Return the path of the largest file."""
        return self.paths[-1][0]

    @property
    def focus_classes(self) -> str:
        """Return the CSS classes that keep its focus when it is cropped, each after a blank."""
        if point := POINT.fullmatch(self.focus):
            return f" focus-x{point[1]} focus-y{point[2]}"
        return f" gallery-picture-{self.focus}" if self.focus else ""

    @property
    def colour_grid(self) -> list[tuple[str, int, int]]:
        """Return its colours, each with its column and row."""
        return [
            (self.colours[6 * at : 6 * at + 6], at % 3, at // 3)
            for at in range(len(self.colours) // 6)
        ]


def is_focus(value: str) -> bool:
    """Return True for a valid focus of a picture."""
    return value in ("", *SIDES) or bool(POINT.fullmatch(value))


def pack_pictures(pictures: Iterable[Picture]) -> str:
    """Return pictures as stored: JSON, one array each; "" for none."""
    packed = [
        (one.name, one.width, one.height, one.alt, one.colours, one.focus) for one in pictures
    ]
    return orjson.dumps(packed).decode() if packed else ""


def pack_draft_pictures(pictures: Iterable[Picture]) -> str:
    """Return pictures as a draft stores them: the same, each with its digest."""
    packed = [
        (one.name, one.width, one.height, one.alt, one.colours, one.focus, one.digest)
        for one in pictures
    ]
    return orjson.dumps(packed).decode() if packed else ""


def unpack_pictures(stored: str | None) -> tuple[Picture, ...]:
    """Parse stored pictures."""
    return tuple(Picture(*parts) for parts in orjson.loads(stored)) if stored else ()


def picture_names(stored: str | None) -> tuple[str, ...]:
    """Return the names of stored pictures."""
    return tuple(picture.name for picture in unpack_pictures(stored))
