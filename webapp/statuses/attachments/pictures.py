"""The pictures of a status, as it names them; uploads.py keeps their files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import orjson

from webapp.core.media.storage import rendition_sides

FOCUSES = ("", "top", "bottom", "left", "right")  # "": the middle


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture: its name (media.py), its size in pixels where it is largest, what it shows, nine of its colours
    (images.py), and one of FOCUSES, the part of it that stays where it is cropped. `digest`: a hash of what was sent,
    of one that has just come.
    """

    name: str
    width: int
    height: int
    alt: str = ""
    colours: str = ""
    focus: str = ""
    digest: str = field(default="", compare=False)

    @property
    def paths(self) -> list[tuple[str, int, int]]:
        """The address, width and height of each of its files, the largest last."""
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
        """The address of the largest one."""
        return self.paths[-1][0]

    @property
    def colour_grid(self) -> list[tuple[str, int, int]]:
        """Its colours, each with its column and row."""
        return [
            (self.colours[6 * at : 6 * at + 6], at % 3, at // 3)
            for at in range(len(self.colours) // 6)
        ]


def pack_pictures(pictures: Iterable[Picture]) -> str:
    """Pictures as they are stored: JSON, one array each; nothing for none."""
    packed = [
        (one.name, one.width, one.height, one.alt, one.colours, one.focus) for one in pictures
    ]
    return orjson.dumps(packed).decode() if packed else ""


def unpack_pictures(stored: str | None) -> tuple[Picture, ...]:
    """The pictures in their stored form."""
    return tuple(Picture(*parts) for parts in orjson.loads(stored)) if stored else ()


def picture_names(stored: str | None) -> tuple[str, ...]:
    """Their names."""
    return tuple(picture.name for picture in unpack_pictures(stored))
