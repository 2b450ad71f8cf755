"""Animated pictures of plain colours, as the content of files."""

import io
import struct
import zlib
from collections.abc import Sequence
from itertools import cycle, islice
from typing import Any

from PIL import Image

RED, GREEN, BLUE = (255, 0, 0), (0, 255, 0), (0, 0, 255)
COLOURS = (RED, GREEN, BLUE)
# A frame of one pixel in a corner of a GIF, shown for 10 ms.
GIF_FRAME = b"\x21\xf9\x04\x00\x01\x00\x00\x00\x2c\0\0\0\0\1\0\1\0\0\2\2\x4c\1\0"


def animation(
    kind: str = "GIF",
    count: int = 3,
    size: tuple[int, int] = (64, 48),
    colours: Sequence[Any] = COLOURS,
    **options: Any,
) -> bytes:
    """Return frames of these colours in turn, each shown for 100 ms."""
    frames = [Image.new("RGB", size, colour) for colour in islice(cycle(colours), count)]
    return animated(frames, kind, **options)


def animated(frames: Sequence[Image.Image], kind: str, **options: Any) -> bytes:
    """Return frames as the content of a file."""
    first, *others = frames
    options = {"duration": 100, **options}
    if kind == "WEBP":
        options = {"lossless": True, "method": 0, **options}
    content = io.BytesIO()
    first.save(content, kind, save_all=True, append_images=others, loop=0, **options)
    return content.getvalue()


def gif(count: int, size: tuple[int, int] = (16, 16), frame: bytes = GIF_FRAME) -> bytes:
    """Return a GIF written by hand: a first picture of this size, and `count` copies of `frame`."""
    canvas = Image.new("P", size)
    content = io.BytesIO()
    canvas.save(content, "GIF")
    return content.getvalue()[:-1] + frame * count + b";"


def frame_outside(size: tuple[int, int], disposal: int = 0) -> bytes:
    """Return a frame of a GIF of this size: one pixel of data, for whatever it covers."""
    control = b"\x21\xf9\x04" + bytes([disposal << 2]) + b"\x01\x00\x00\x00"
    return control + b"\x2c\0\0\0\0" + struct.pack("<HH", *size) + b"\0\2\2\x4c\1\0"


def apng_that_claims(count: int) -> bytes:
    """Return an animated PNG of three frames that says it has `count`."""
    content = animation("PNG")
    start = content.index(b"acTL")
    chunk = b"acTL" + struct.pack(">I", count) + content[start + 8 : start + 12]
    return content[:start] + chunk + struct.pack(">I", zlib.crc32(chunk)) + content[start + 16 :]
