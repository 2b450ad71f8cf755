"""Normalize decoded pictures: no larger than needed, upright, and in sRGB."""

import io
from contextlib import suppress

from PIL import Image, ImageCms, ImageOps

SHORT_SIDE_MAX = 1500  # pixels; a picture of twice as many is halved first, and so on
SRGB = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB"))


def normalized(picture: Image.Image) -> Image.Image:
    """Return the picture upright, in sRGB, as RGB or RGBA, and no larger than needed."""
    return to_srgb(rotate_upright(reduce(picture)))


def reduce(picture: Image.Image) -> Image.Image:
    """Return the picture in a mode that can be resized, and no larger than needed."""
    if picture.mode.startswith("I"):  # 16 bits; a transparent colour is ignored
        picture.info.pop("transparency", None)
        picture = picture.point(lambda value: value / 256).convert("L")
    elif picture.mode not in ("L", "RGB", "RGBA", "CMYK") or "transparency" in picture.info:
        picture = picture.convert("RGBA" if picture.has_transparency_data else "RGB")
    factor = min(picture.size) // SHORT_SIDE_MAX
    return picture.reduce(factor) if factor > 1 else picture


def rotate_upright(picture: Image.Image) -> Image.Image:
    """Return the picture as its EXIF orientation shows it."""
    with suppress(Exception):  # some cameras write EXIF that cannot be read
        return ImageOps.exif_transpose(picture)
    return picture


def to_srgb(picture: Image.Image) -> Image.Image:
    """Return the picture as RGB or RGBA, its colours converted to sRGB."""
    target = "RGBA" if picture.mode == "RGBA" else "RGB"
    # Without a profile, or with a broken one, the colours stay as they are.
    with suppress(ImageCms.PyCMSError, OSError):
        profile = ImageCms.ImageCmsProfile(io.BytesIO(picture.info.get("icc_profile") or b""))
        return ImageCms.profileToProfile(picture, profile, SRGB, outputMode=target) or picture
    return picture.convert(target)
