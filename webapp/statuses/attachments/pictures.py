"""Pictures of statuses, as statuses store them. staging.py stores their files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import orjson

from webapp.core.media.storage import rendition_sides

FOCUSES = ("", "top", "bottom", "left", "right")  # "": the middle


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of a status. Its size is that of its largest file, in pixels."""

    name: str
    width: int
    height: int
    alt: str = ""  # alternative text
    colours: str = ""  # nine colours, six hex digits each, row by row
    focus: str = ""  # one of FOCUSES: the part that cropping keeps
    digest: str = field(default="", compare=False)  # hash of a file that was just sent

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
        return [(f"/media/{self.name}-{side}.webp", width, height) for side, width, height in sizes]

    @property
    def path(self) -> str:
        """Return the path of the largest file."""
        return self.paths[-1][0]

    @property
    def colour_grid(self) -> list[tuple[str, int, int]]:
        """Return its colours, each with its column and row."""
        return [
            (self.colours[6 * at : 6 * at + 6], at % 3, at // 3)
            for at in range(len(self.colours) // 6)
        ]


def pack_pictures(pictures: Iterable[Picture]) -> str:
    """Return pictures as stored: JSON, one array each; "" for none."""
    packed = [
        (one.name, one.width, one.height, one.alt, one.colours, one.focus) for one in pictures
    ]
    return orjson.dumps(packed).decode() if packed else ""


def unpack_pictures(stored: str | None) -> tuple[Picture, ...]:
    """Parse stored pictures."""
    return tuple(Picture(*parts) for parts in orjson.loads(stored)) if stored else ()


def picture_names(stored: str | None) -> tuple[str, ...]:
    """Return the names of stored pictures."""
    return tuple(picture.name for picture in unpack_pictures(stored))
