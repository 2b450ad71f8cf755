"""Saving decoded pictures as WebP, without EXIF, profile or comment."""

from __future__ import annotations

import io

from PIL import Image, ImageOps

QUALITY = 82  # of WebP
EFFORT = 4  # of WebP's encoder, 0 to 6: the more, the smaller the file
Size = tuple[int, int]


def crop_to_webp(picture: Image.Image, *sizes: Size) -> list[bytes]:
    """Return the middle of a picture in exactly these sizes, the largest first, as WebP.

    Each is made of the one before, because a large picture takes long to resize.
    """
    renditions = []
    for size in sizes:
        picture = ImageOps.fit(picture, size, Image.Resampling.LANCZOS)
        renditions.append(_encode_webp(picture))
    return renditions


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
