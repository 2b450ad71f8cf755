"""Decode the frames of an animated picture within bounds, and encode them as animated WebP."""

import io
import time
from math import ceil, sqrt
from threading import Lock
from typing import IO

from flask_babel import gettext as _
from PIL import Image

from webapp.config import Config

from .decoding import BadPicture, broken_files_refused, slot
from .normalization import normalized, reduce

FORMATS = ("GIF", "WEBP", "PNG")  # Pillow's names of those that can be animated
# The start of a file of each, and what it has besides if it is animated.
MARKS = {b"GIF8": b"", b"RIFF": b"ANIM", b"\x89PNG": b"acTL"}
SIDE_MAX = 640  # pixels of the longer side
FRAMES_MAX = 300  # kept; of twice as many, every second one is kept
PIXELS_MAX = 30_000_000  # of all kept frames together; larger frames are made smaller
FILE_FRAMES_MAX = 3_000
FILE_PIXELS_MAX = 300_000_000  # of all frames of a file together
FRAME_PIXELS_MAX = 9_000_000  # of one frame of a file: 4K has 8.3 million
PLAY_SECONDS_MAX = 60
DECODE_SECONDS_MAX = 10.0  # of processor time
UNTIMED_MS = 100  # of a frame that asks for 10 ms or less, as in browsers
FLAGS, HAS_ALPHA, IS_ANIMATED = 20, 0x10, 0x02  # where a WebP with flags has them, and two of them
QUALITY, EFFORT = 75, 1  # of WebP: the quality of an encoded frame, and the effort, 0 to 6
# PIXELS_MAX take 120 MB, and decoding FRAME_PIXELS_MAX as much: a process encodes one at a time.
animation_lock = Lock()


def encode_animation(config: Config, data: IO[bytes]) -> bytes:
    """Return the frames of a file that `decoded` accepts, as animated WebP that repeats for ever.

    Empty for a still picture. Raises BadPicture; Unavailable if too many wait for their turn.
    """
    data.seek(0)
    content = data.read()
    mark = MARKS.get(content[:4])
    if mark is None or mark not in content:
        return b""
    # To open a GIF with long comments alone takes several 100 MB.
    with broken_files_refused(config), slot(animation_lock):
        picture = Image.open(io.BytesIO(content), formats=FORMATS)
        if not getattr(picture, "is_animated", False):
            return b""
        content = _encode(*_decode_frames(picture))
    if len(content) > config.upload_max:
        raise _too_long()
    return content


def _decode_frames(picture: Image.Image) -> tuple[list[Image.Image], list[int]]:
    """Return frames of equal size, and for how many ms each is shown. Raises BadPicture."""
    count, pixels = getattr(picture, "n_frames", 1), picture.width * picture.height
    if count > FILE_FRAMES_MAX or pixels > FRAME_PIXELS_MAX or count * pixels > FILE_PIXELS_MAX:
        raise _too_long()
    # A PNG may begin with a still for programs that do not know animations.
    first = int(getattr(picture, "default_image", False))
    deadline = time.thread_time() + DECODE_SECONDS_MAX
    step = ceil(count / FRAMES_MAX)
    frames: list[Image.Image] = []
    durations: list[int] = []
    for index in range(first, count):
        _decode_frame(picture, index)
        if (index - first) % step == 0:
            frame = reduce(picture)
            size = _kept_size(frame.size, ceil(count / step))
            frames.append(normalized(frame.resize(size, Image.Resampling.HAMMING)))
            durations.append(0)
        durations[-1] += _shown_ms(picture)
        if time.thread_time() > deadline or sum(durations) > PLAY_SECONDS_MAX * 1000:
            raise _too_long()
    return frames, durations


def _decode_frame(picture: Image.Image, index: int) -> None:
    """Decode the next frame into `picture`. Raises ValueError if it is larger than the canvas."""
    size = picture.size
    picture.seek(index)
    if picture.size != size:
        raise ValueError("a frame outside of the canvas")
    picture.load()


def _kept_size(size: tuple[int, int], count: int) -> tuple[int, int]:
    """Return the size of `count` frames that are SIDE_MAX at most, and PIXELS_MAX together."""
    width, height = size
    scale = min(1, SIDE_MAX / max(size), sqrt(PIXELS_MAX / (count * width * height)))
    return max(int(width * scale), 1), max(int(height * scale), 1)


def _shown_ms(picture: Image.Image) -> int:
    duration = round(picture.info.get("duration") or 0)
    return duration if duration > 10 else UNTIMED_MS


def _encode(frames: list[Image.Image], durations: list[int]) -> bytes:
    """Return frames as WebP; nothing if they look alike, since the encoder then writes a still."""
    file = io.BytesIO()
    first, *others = frames
    first.info.clear()
    first.save(
        file,
        "WEBP",
        save_all=True,
        append_images=others,
        duration=durations,
        quality=QUALITY,
        method=EFFORT,
    )
    content = bytearray(file.getvalue())
    if content[12:16] != b"VP8X" or not content[FLAGS] & IS_ANIMATED:
        return b""
    # The encoder sets it for transparent pixels of frames only, not for those around a frame.
    if any(frame.mode == "RGBA" for frame in frames):
        content[FLAGS] |= HAS_ALPHA
    return bytes(content)


def _too_long() -> BadPicture:
    return BadPicture(
        "animation_too_long",
        _("That animation is too long or too large. Make it shorter or smaller."),
    )
