"""Pictures of statuses, as statuses store them. staging.py stores their files."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

import orjson

from webapp.core.media.storage import animation_path, rendition_sides

SIDES = ("top", "bottom", "left", "right")
POINT = re.compile(r"(10|[0-9])-(10|[0-9])")  # tenths from the left and from the top


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of a status. Its size is that of its largest still, in pixels."""

    name: str
    width: int
    height: int
    alt: str = ""  # alternative text
    colours: str = ""  # nine colours, six hex digits each, row by row
    focus: str = ""  # one of SIDES or a POINT: the part that cropping keeps; "": the middle
    digest: str = field(default="", compare=False)  # hash of its files; only drafts store it
    animated: bool = False
    query: str = ""  # of its addresses, signed for one reader

    @property
    def paths(self) -> list[tuple[str, int, int]]:
        """Return the path, width and height of each of its stills, the largest last."""
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
        """Return the path of the largest still."""
        return self.paths[-1][0]

    @property
    def full_path(self) -> str:
        """Return the path of what its link opens: the animation, or the largest still."""
        if self.animated:
            return f"/media/{animation_path(self.name)}{self.query}"
        return self.path

    @property
    def fingerprint(self) -> tuple[str, str, str]:
        """Return the values that tell this picture from others when posts are compared."""
        return self.digest, self.alt, self.focus

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


def pack_pictures(pictures: Iterable[Picture], with_digest: bool = False) -> str:
    """Return pictures as statuses store them, or `with_digest` as drafts do; "" for none.

    JSON, one array each: fields of Picture in order, up to the last that has a value.
    """
    packed = []
    for one in pictures:
        digest = one.digest if with_digest else ""
        parts = [one.name, one.width, one.height, one.alt, one.colours, one.focus, digest]
        parts.append(one.animated)
        while not parts[-1]:
            parts.pop()
        packed.append(parts)
    return orjson.dumps(packed).decode() if packed else ""


def unpack_pictures(stored: str | None) -> tuple[Picture, ...]:
    """Parse stored pictures."""
    return tuple(Picture(*parts) for parts in orjson.loads(stored)) if stored else ()


def picture_names(stored: str | None) -> tuple[str, ...]:
    """Return the names of stored pictures."""
    return tuple(picture.name for picture in unpack_pictures(stored))
