"""Store the pictures that members upload: each kind has its names and sizes.

- A member's: `uid/hash`, files `<uid>/<hash>-<width>.webp`. The hash is that of the largest file,
  so a changed picture has another address, and no two members share a file.
- A chat's: `chat/cid/hash`, file `chat/<cid>/<hash>.webp`. Only the chat's own pages show it.
- A status's: `posts/uid/token`, files `<name>-<side>.webp`. Nobody can guess the token.
- A link card's: `cards/yyyymmdd/token`, file `<name>.webp`. It is removed with its day.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import IO

from webapp.config import Config

from . import decoding, files, images

LINK_PICTURE_FILE = re.compile(r"cards/[0-9]{8}/[0-9a-f]{32}\.webp")
PICTURE_FILE = re.compile(r"(?:posts/)?[1-9][0-9]{0,15}/[0-9a-f]{32}-[0-9]{2,4}\.webp")
CHAT_PICTURE_NAME = re.compile(r"chat/[1-9][0-9]{0,15}(?:-[1-9][0-9]{0,15})?/[0-9a-f]{32}")
STATUS_SIDES = (640, 1280, 2048)  # pixels of the longer side: on a phone, on a screen, alone
CHAT_SIDE_MAX = 1600  # pixels of the longer side
CHAT_AVATAR_SIZE = (192, 192)  # pixels
LINK_PICTURE_SIZE = (400, 300)  # pixels
LINK_PICTURE_DAYS = 30  # a card that is older is shown without its picture


@dataclass(frozen=True, slots=True)
class PictureKind:
    """A member's picture: its sizes in pixels, the largest first."""

    sizes: tuple[tuple[int, int], ...]


PICTURE_KINDS = {
    "avatar": PictureKind(((400, 400), (192, 192), (96, 96))),
    "header": PictureKind(((1500, 500), (750, 250))),
}


def save(config: Config, uid: int, kind: str, data: IO[bytes]) -> str:
    """Store a member's picture in all sizes of its kind, and return its name.

    Raises BadPicture; Unavailable if too many pictures wait to be decoded, or the disk is full.
    """
    with decoding.decoded(config, data) as picture:
        sizes = PICTURE_KINDS[kind].sizes
        renditions = images.crop_to_webp(picture, *sizes)
    stem = _hash(renditions[0])
    contents = {
        f"{uid}/{stem}-{width}.webp": content
        for (width, _), content in zip(sizes, renditions, strict=True)
    }
    files.write(config.media_path, contents)
    return f"{uid}/{stem}"


def save_in_chat(
    config: Config,
    cid: str,
    data: IO[bytes],
    salt: str,
    is_avatar: bool = False,
) -> tuple[str, int, int]:
    """Store a picture sent to a chat, or the chat's own; return its name, width and height.

    The name depends on the file and the salt. So a picture sent twice by one sender is stored once,
    and removing it takes nothing from another. Errors as `save`.
    """
    with decoding.decoded(config, data) as picture:
        if is_avatar:
            [content], size = images.crop_to_webp(picture, CHAT_AVATAR_SIZE), CHAT_AVATAR_SIZE
        else:
            [(content, size)] = images.resize_to_webp(picture, CHAT_SIDE_MAX)
    stem = _hash(salt.encode() + b"\0" + content)
    name = f"chat/{cid}/{stem}"
    files.write(config.media_path, {f"{name}.webp": content})
    return name, *size


def save_in_status(config: Config, name: str, data: IO[bytes]) -> tuple[int, int, str, str]:
    """Store a status's picture under `name`, in each of its sizes.

    Return its width and height in pixels, its placeholder colours, and a hash of it. Errors as
    `save`.
    """
    with decoding.decoded(config, data) as picture:
        colours = images.placeholder_colours(picture)
        sides = rendition_sides(*picture.size)[::-1]
        renditions = images.resize_to_webp(picture, *sides)
    contents = {
        f"{name}-{side}.webp": content for side, (content, _) in zip(sides, renditions, strict=True)
    }
    files.write(config.media_path, contents)
    content, size = renditions[0]
    return *size, colours, hashlib.sha256(content).hexdigest()


def save_link_picture(config: Config, data: IO[bytes]) -> str:
    """Store the picture of a link card, and return its name. Errors as `save`."""
    with decoding.decoded(config, data) as picture:
        [content] = images.crop_to_webp(picture, LINK_PICTURE_SIZE)
    name = f"cards/{datetime.now(UTC):%Y%m%d}/{secrets.token_hex(16)}"
    files.write(config.media_path, {f"{name}.webp": content})
    return name


def link_picture_day(name: str) -> int:
    """Return the day of a link card's picture: yyyymmdd."""
    return int(name.split("/")[1])


def copy_in_status(config: Config, name: str, copy_name: str, size: tuple[int, int]) -> bool:
    """Give a status's picture of this size a second name. Return False if a file is missing.

    Raises Unavailable if the disk does not take it.
    """
    paths = [f"-{side}.webp" for side in rendition_sides(*size)]
    return all(
        files.link(config.media_path, f"{name}{path}", f"{copy_name}{path}") for path in paths
    )


def rendition_sides(width: int, height: int) -> tuple[int, ...]:
    """Return the STATUS_SIDES that a picture of this size has; only the last may be larger."""
    smaller = [side for side in STATUS_SIDES if side < max(width, height)]
    return STATUS_SIDES[: len(smaller) + 1]


def picture_url(name: str, kind: str, width: int) -> str:
    """Return the address of a member's picture for `width` CSS pixels on a dense screen."""
    widths = [size[0] for size in PICTURE_KINDS[kind].sizes]
    best_width = min((stored for stored in widths if stored >= 2 * width), default=max(widths))
    return f"/media/{name}-{best_width}.webp"


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[: files.HASH_LENGTH]
