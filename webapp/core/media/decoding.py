"""Check and decode uploaded pictures, one at a time in each process."""

import io
import os
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import BoundedSemaphore, Lock
from typing import IO

from flask_babel import gettext as _
from PIL import Image

from webapp.config import Config
from webapp.core.errors import Unavailable

from .normalization import SHORT_SIDE_MAX, normalized

FORMATS = ("JPEG", "PNG", "WEBP", "GIF")  # Pillow's names of those that are decoded
SIDE_MAX = 32_767  # pixels of a side: forty million rows of one pixel take ten seconds
SIDE_MIN = 16  # pixels of the shorter side of icons, and of pictures of link cards
# By the start of a file. A scan of 45 bytes costs a pass over the whole picture; cameras write ten
# at most. Pillow copies all EXIF before with each part of it; 128 parts hold 8 MB. A colour profile
# of 1 KB unfolds to 1 MB; a PNG has one.
PARTS_MAX = {
    b"\xff\xd8": {b"\xff\xda": 500, b"\xff\xe1": 500},
    b"\x89PNG": {b"iCCP": 8},
}
PLACE_WAIT_SECONDS = 1.0  # for a place among the threads that decode: a burst of small ones passes
DECODE_WAIT_SECONDS = 5.0  # for other pictures that are being decoded
# Decoding 40 megapixels takes several 100 MB: a process decodes one at a time.
decode_lock = Lock()
# Threads of a process that decode or wait for their turn: pages need the others.
decoding_threads = BoundedSemaphore(5)


class BadPicture(Exception):
    """A file that is refused. `reason` is stable; `sentence` is for people; `status` for HTTP."""

    status = 422

    def __init__(self, reason: str, sentence: str) -> None:
        super().__init__(reason)
        self.reason, self.sentence = reason, sentence


@contextmanager
def decoded(config: Config, data: IO[bytes], side_min: int = 1) -> Iterator[Image.Image]:
    """Decode a file: upright, in sRGB, as RGB or RGBA; of an animation, the first picture.

    Its bytes decide its format, whatever its name or media type. `side_min`: pixels of the shorter
    side. While the picture is in use, this process decodes no other. Raises BadPicture; Unavailable
    if too many wait for their turn.
    """
    if _size_in_bytes(data) > config.upload_max:
        size = config.upload_max // 1_048_576
        raise BadPicture(
            "too_large", _("That file is too big. Pictures can be up to %(size)d MB.", size=size)
        )
    with slot(decode_lock):
        with broken_files_refused(config):
            picture = normalized(_load(config, data.read()))
        if min(picture.size) < side_min:
            raise BadPicture(
                "too_small",
                _("That picture is too small. It needs at least %(least)d pixels.", least=side_min),
            )
        yield picture


def _size_in_bytes(data: IO[bytes]) -> int:
    length = data.seek(0, os.SEEK_END)
    data.seek(0)
    return length


@contextmanager
def slot(lock: Lock) -> Iterator[None]:
    """Wait for a turn to decode, but not so long that pictures hold all of a process's threads.

    Raises Unavailable.
    """
    with ExitStack() as held:
        for one, seconds in ((decoding_threads, PLACE_WAIT_SECONDS), (lock, DECODE_WAIT_SECONDS)):
            if not one.acquire(timeout=seconds):
                raise Unavailable("too_many_uploads", retry_after=10)
            held.callback(one.release)
        yield


@contextmanager
def broken_files_refused(config: Config) -> Iterator[None]:
    """Raise BadPicture for whatever decoders raise, and for frames of too many pixels."""
    unreadable = BadPicture(
        "broken", _("We can’t read that picture. Use a JPEG, PNG, WebP or GIF file.")
    )
    Image.MAX_IMAGE_PIXELS = config.upload_pixels // 2  # Pillow raises at twice as many
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow's own about size
            yield
    except (BadPicture, Unavailable):
        raise
    except Image.DecompressionBombError as error:
        raise _too_many_pixels(config) from error
    except Exception as error:  # decoders raise anything at a broken file
        raise unreadable from error


def _load(config: Config, content: bytes) -> Image.Image:
    check_parts(content)
    picture = Image.open(io.BytesIO(content), formats=FORMATS)
    _check_header(config, picture)
    picture.draft("RGB", (SHORT_SIDE_MAX, SHORT_SIDE_MAX))  # decodes a large JPEG at a fraction
    picture.load()
    return picture


def check_parts(content: bytes) -> None:
    """Raise ValueError for too many parts that take long to read. Call it before opening."""
    for start, marks in PARTS_MAX.items():
        if content.startswith(start) and any(content.count(one) > marks[one] for one in marks):
            raise ValueError("too many parts")


def _check_header(config: Config, picture: Image.Image) -> None:
    """Check the header of the file, before any of it is decoded. Raises BadPicture, ValueError."""
    width, height = picture.size
    if max(width, height) > SIDE_MAX:
        raise ValueError("a side is too long")
    if width * height > config.upload_pixels:
        raise _too_many_pixels(config)


def _too_many_pixels(config: Config) -> BadPicture:
    megapixels = config.upload_pixels // 1_000_000
    return BadPicture(
        "too_many_pixels", _("That picture has more than %(most)d megapixels.", most=megapixels)
    )
