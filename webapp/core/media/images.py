"""Saving decoded pictures as WebP or PNG, without EXIF, profile or comment."""

import io
from collections.abc import Iterator
from typing import NamedTuple

from PIL import Image

QUALITY = 82  # of WebP
EFFORT = 4  # of WebP's encoder, 0 to 6: the more, the smaller the file
Size = tuple[int, int]


class Crop(NamedTuple):
    """The part of a picture to keep.

    `x` and `y`: how much of what is cut off lies left of it, and above it, from 0 to 1. `zoom`: how
    many times smaller it is than the largest that fits.
    """

    x: float = 0.5
    y: float = 0.5
    zoom: float = 1.0

    def box(self, whole: Size, size: Size) -> tuple[float, float, float, float]:
        """Return its left, top, right and bottom edge in `whole`. Its shape is that of `size`."""
        scale = min(whole[0] / size[0], whole[1] / size[1]) / self.zoom
        width, height = size[0] * scale, size[1] * scale
        left = max(whole[0] - width, 0) * self.x
        top = max(whole[1] - height, 0) * self.y
        return left, top, min(left + width, whole[0]), min(top + height, whole[1])


MIDDLE = Crop()


def crop_to_webp(picture: Image.Image, crop: Crop, *sizes: Size) -> list[bytes]:
    """Return a part of a picture as WebP in these sizes of one shape, the largest first."""
    return [_encode_webp(one) for one in cropped(picture, crop, *sizes)]


def cropped(picture: Image.Image, crop: Crop, *sizes: Size) -> Iterator[Image.Image]:
    """Yield a part of a picture in exactly these sizes of one shape, the largest first.

    Each is made of the one before, because a large picture takes long to resize.
    """
    box: tuple[float, float, float, float] | None = crop.box(picture.size, sizes[0])
    for size in sizes:
        picture = picture.resize(size, Image.Resampling.LANCZOS, box)
        box = None
        yield picture


def png_of(picture: Image.Image, opaque: bool) -> bytes:
    """Return a picture as PNG, without metadata. `opaque`: on white where it is transparent."""
    if opaque and picture.mode == "RGBA":
        ground = Image.new("RGBA", picture.size, "white")
        picture = Image.alpha_composite(ground, picture).convert("RGB")
    picture.info.clear()
    content = io.BytesIO()
    picture.save(content, "PNG", optimize=True)
    return content.getvalue()


def resize_to_webp(picture: Image.Image, *sides: int) -> list[tuple[bytes, Size]]:
    """Return the whole picture as WebP with its size, once for each side, the largest first.

    The longer side has at most so many pixels. Each is made of the one before.
    """
    picture = picture.copy()
    renditions = []
    for side in sides:
        picture.thumbnail((side, side), Image.Resampling.LANCZOS)
        renditions.append((_encode_webp(picture), picture.size))
    return renditions


def placeholder_colours(picture: Image.Image) -> str:
    """Return nine colours, three rows of three, `rrggbb` each, to show while the picture loads.

    Return "" for a picture that is transparent somewhere.
    """
    if (
        picture.mode == "RGBA"
        and picture.getchannel("A").point(lambda alpha: 255 - alpha).getbbox()
    ):
        return ""
    return picture.convert("RGB").resize((3, 3), Image.Resampling.BOX).tobytes().hex()


def _encode_webp(picture: Image.Image) -> bytes:
    picture.info.clear()
    content = io.BytesIO()
    no_metadata = {"exif": b"", "xmp": b"", "icc_profile": b""}
    picture.save(content, "WEBP", quality=QUALITY, method=EFFORT, **no_metadata)
    return content.getvalue()
