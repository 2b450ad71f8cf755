"""Pictures that members upload: checked before they are decoded, one at a time, and saved as WebP.

Nothing but the picture itself is kept: no EXIF, profile or comment.
"""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock
from typing import IO

from flask_babel import gettext as _
from PIL import Image, ImageCms, ImageOps

from webapp.config import Config
from webapp.errors import Unavailable

JPEG_TYPES = ("image/jpeg", "image/jpg", "image/pjpeg")
# Pillow's names of formats, and the media types each is sent as. An MPO is a JPEG with further
# ones behind it.
FORMATS = {
    "JPEG": JPEG_TYPES,
    "MPO": JPEG_TYPES,
    "PNG": ("image/png", "image/apng", "image/x-png"),
    "WEBP": ("image/webp",),
    "GIF": ("image/gif",),
}
DECODABLE_FORMATS = ("JPEG", "PNG", "WEBP", "GIF")
SIDE_MIN = 16  # pixels of the shorter side
SHORT_SIDE_MAX = 1500  # pixels; a picture of twice as many is halved first, and so on
# A scan of 45 bytes costs a pass over the whole picture; cameras write ten at most.
JPEG_SCANS_MAX = 500
QUALITY = 82  # of WebP
DECODE_WAIT_SECONDS = 5.0  # for other pictures that are being decoded
SRGB = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB"))
# Decoding 40 megapixels takes several 100 MB: a process decodes one at a time.
decode_lock = Lock()


class BadPicture(Exception):
    """A file that is refused. `reason` is stable; `sentence` is for people."""

    def __init__(self, reason: str, sentence: str) -> None:
        super().__init__(reason)
        self.reason, self.sentence = reason, sentence


@contextmanager
def decoded(config: Config, data: IO[bytes], declared: str) -> Iterator[Image.Image]:
    """Decode a file: upright, in sRGB, as RGB or RGBA; of an animation, the first picture.

    `declared` is the media type it was sent as. While the picture is in use, this process decodes
    no other. Raises BadPicture; Unavailable if too many wait for their turn.
    """
    if _size_in_bytes(data) > config.upload_max:
        size = config.upload_max // 1_048_576
        raise BadPicture(
            "too_large", _("That file is too big. Pictures can be up to %(size)d MB.", size=size)
        )
    with _decode_slot():
        yield _decode(config, data.read(), declared)


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


def _size_in_bytes(data: IO[bytes]) -> int:
    length = data.seek(0, os.SEEK_END)
    data.seek(0)
    return length


@contextmanager
def _decode_slot() -> Iterator[None]:
    """Wait for a turn to decode, but not so long that pictures hold all of a process's threads."""
    if not decode_lock.acquire(timeout=DECODE_WAIT_SECONDS):
        raise Unavailable("too_many_uploads", retry_after=10)
    try:
        yield
    finally:
        decode_lock.release()


def _decode(config: Config, content: bytes, declared: str) -> Image.Image:
    """Return the picture upright, in sRGB, as RGB or RGBA."""
    unreadable = BadPicture(
        "broken", _("We can’t read that picture. Use a JPEG, PNG, WebP or GIF file.")
    )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow's own about size: it is checked here
            return _to_srgb(_rotate_upright(_reduce(_load(config, content, declared))))
    except BadPicture:
        raise
    except Image.DecompressionBombError as error:
        raise _too_many_pixels(config) from error
    except Exception as error:  # decoders raise anything at a broken file
        raise unreadable from error


def _load(config: Config, content: bytes, declared: str) -> Image.Image:
    picture = Image.open(io.BytesIO(content), formats=DECODABLE_FORMATS)
    _check_header(config, picture, declared)
    if picture.format in ("JPEG", "MPO") and content.count(b"\xff\xda") > JPEG_SCANS_MAX:
        raise ValueError("too many scans")
    picture.draft("RGB", (SHORT_SIDE_MAX, SHORT_SIDE_MAX))  # decodes a large JPEG at a fraction
    picture.load()
    return picture


def _check_header(config: Config, picture: Image.Image, declared: str) -> None:
    """Check what the file says of itself, before any of it is decoded. Raises BadPicture."""
    types = FORMATS[picture.format or ""]
    width, height = picture.size
    if declared.startswith("image/") and declared not in types:
        format_names = {"said": declared[6:].upper()[:10], "found": types[0][6:].upper()}
        raise BadPicture(
            "mislabelled",
            _("That file claims to be %(said)s but is %(found)s. Save it again.", **format_names),
        )
    if width * height > config.upload_pixels:
        raise _too_many_pixels(config)
    if min(width, height) < SIDE_MIN:
        raise BadPicture(
            "too_small",
            _("That picture is too small. It needs at least %(least)d pixels.", least=SIDE_MIN),
        )


def _too_many_pixels(config: Config) -> BadPicture:
    megapixels = config.upload_pixels // 1_000_000
    return BadPicture(
        "too_many_pixels", _("That picture has more than %(most)d megapixels.", most=megapixels)
    )


def _reduce(picture: Image.Image) -> Image.Image:
    """Return the picture in a mode that can be resized, and no larger than needed."""
    if picture.mode.startswith("I"):  # 16 bits; a transparent colour is ignored
        picture.info.pop("transparency", None)
        picture = picture.point(lambda value: value / 256).convert("L")
    elif picture.mode not in ("L", "RGB", "RGBA", "CMYK") or "transparency" in picture.info:
        picture = picture.convert("RGBA" if picture.has_transparency_data else "RGB")
    factor = min(picture.size) // SHORT_SIDE_MAX
    return picture.reduce(factor) if factor > 1 else picture


def _rotate_upright(picture: Image.Image) -> Image.Image:
    with suppress(Exception):  # some cameras write EXIF that cannot be read
        return ImageOps.exif_transpose(picture)
    return picture


def _to_srgb(picture: Image.Image) -> Image.Image:
    target = "RGBA" if picture.mode == "RGBA" else "RGB"
    # Without a profile, or with a broken one, the colours stay as they are.
    with suppress(ImageCms.PyCMSError, OSError):
        profile = ImageCms.ImageCmsProfile(io.BytesIO(picture.info.get("icc_profile") or b""))
        return ImageCms.profileToProfile(picture, profile, SRGB, outputMode=target) or picture
    return picture.convert(target)


def _encode_webp(picture: Image.Image) -> bytes:
    picture.info.clear()
    content = io.BytesIO()
    picture.save(content, "WEBP", quality=QUALITY, method=4, exif=b"", xmp=b"", icc_profile=b"")
    return content.getvalue()
