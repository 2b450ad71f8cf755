"""Saving decoded pictures as WebP, without EXIF, profile or comment."""

from __future__ import annotations

import io

from PIL import Image, ImageOps

QUALITY = 82  # of WebP


def crop_to_webp(picture: Image.Image, size: tuple[int, int]) -> bytes:
    """Return the middle of a picture in exactly this size, as WebP."""
    return _encode_webp(ImageOps.fit(picture, size, Image.Resampling.LANCZOS))


def resize_to_webp(picture: Image.Image, side: int) -> tuple[bytes, tuple[int, int]]:
    """Return the whole picture, at most `side` pixels on its longer side, as WebP; and its size."""
    smaller = picture.copy()
    smaller.thumbnail((side, side), Image.Resampling.LANCZOS)
    return _encode_webp(smaller), smaller.size


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
    picture.save(content, "WEBP", quality=QUALITY, method=4, exif=b"", xmp=b"", icc_profile=b"")
    return content.getvalue()
