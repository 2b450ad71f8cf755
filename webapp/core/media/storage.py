"""Store the pictures that members upload: each kind has its names and sizes.

- A member's: `uid/token`, files `<uid>/<token>-<width>.webp`. Each upload has a token of its own: a
  picture that was replaced is removed later, and may have been chosen again meanwhile.
- A group's: `groups/gid/token`, files as a member's.
- A chat's and a message's: `chat/cid/token`, file `<name>.webp`. Only the chat's own pages show it.
- A status's: `posts/uid/token`, files `<name>-<side>.webp`. Nobody can guess the token.
- A link card's: `cards/yyyymmdd/token`, file `<name>.webp`. It is removed with its day.

These files are stills. An animated picture of a status or a message has a further file,
`<name>-animated.webp`.
"""

import hashlib
import re
import secrets
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import IO

from webapp.config import Config

from . import decoding, files, images
from .animations import encode_animation
from .images import MIDDLE, Crop

LINK_PICTURE_FILE = re.compile(r"cards/[0-9]{8}/[0-9a-f]{32}\.webp")
PICTURE_FILE = re.compile(r"(?:posts/)?[1-9][0-9]{0,15}/[0-9a-f]{32}-(?:[0-9]{2,4}|animated)\.webp")
GROUP_PICTURE_FILE = re.compile(r"groups/[1-9][0-9]{0,15}/[0-9a-f]{32}-[0-9]{2,4}\.webp")
CHAT_PICTURE_FILE = re.compile(
    r"chat/[1-9][0-9]{0,15}(?:-[1-9][0-9]{0,15})?/[0-9a-f]{32}(?:-animated)?\.webp"
)
ANIMATED = "animated"  # in the names of files, in the place of a side
STATUS_SIDES = (640, 1280, 2048)  # pixels of the longer side: on a phone, on a screen, alone
CHAT_SIDE_MAX = 1600  # pixels of the longer side
CHAT_AVATAR_SIZE = (192, 192)  # pixels
LINK_PICTURE_SIZE = (400, 300)  # pixels
LINK_PICTURE_DAYS = 30  # a card that is older is shown without its picture


@dataclass(frozen=True, slots=True)
class StoredPicture:
    """A picture of a status or a message. Its size is that of its largest still, in pixels.

    `digest`: a hash of its content. A status's has placeholder `colours`.
    """

    name: str
    width: int
    height: int
    animated: bool
    colours: str = ""
    digest: str = ""


PICTURE_SIZES = {  # of a member's pictures, in pixels, the largest first
    "avatar": ((400, 400), (192, 192), (96, 96)),
    "header": ((1500, 500), (750, 250)),
}


def save(config: Config, folder: int | str, kind: str, data: IO[bytes], crop: Crop = MIDDLE) -> str:
    """Store a part of a picture in all sizes of its kind, and return its name.

    `folder`: a member's uid, or `groups/<gid>`. Raises BadPicture; Unavailable if too many pictures
    wait to be decoded, or the disk is full.
    """
    with decoding.decoded(config, data) as picture:
        sizes = PICTURE_SIZES[kind]
        renditions = images.crop_to_webp(picture, crop, *sizes)
    stem = secrets.token_hex(16)
    contents = {
        f"{folder}/{stem}-{width}.webp": content
        for (width, _), content in zip(sizes, renditions, strict=True)
    }
    files.write(config.media_path, contents)
    return f"{folder}/{stem}"


def new_in_chat(cid: str) -> str:
    """Return a name for a picture of a chat."""
    return f"chat/{cid}/{secrets.token_hex(16)}"


def save_in_chat(config: Config, name: str, data: IO[bytes]) -> StoredPicture:
    """Store a picture sent to a chat under `name`. Errors as `save`."""
    with decoding.decoded(config, data) as picture:
        [(content, size)] = images.resize_to_webp(picture, CHAT_SIDE_MAX)
    animation = encode_animation(config, data)
    files.write(config.media_path, {f"{name}.webp": content, **_animation_file(name, animation)})
    digest = hashlib.sha256(content + animation).hexdigest()
    return StoredPicture(name, *size, bool(animation), digest=digest)


def save_chat_avatar(config: Config, cid: str, data: IO[bytes], crop: Crop = MIDDLE) -> str:
    """Store a part of a picture as a chat's own, and return its name. Errors as `save`."""
    with decoding.decoded(config, data) as picture:
        [content] = images.crop_to_webp(picture, crop, CHAT_AVATAR_SIZE)
    name = new_in_chat(cid)
    files.write(config.media_path, {f"{name}.webp": content})
    return name


def save_in_status(config: Config, name: str, data: IO[bytes]) -> StoredPicture:
    """Store a status's picture under `name`, in each of its sizes. Errors as `save`."""
    with decoding.decoded(config, data) as picture:
        colours = images.placeholder_colours(picture)
        sides = rendition_sides(*picture.size)[::-1]
        renditions = images.resize_to_webp(picture, *sides)
    animation = encode_animation(config, data)
    contents = {
        f"{name}-{side}.webp": content for side, (content, _) in zip(sides, renditions, strict=True)
    }
    files.write(config.media_path, contents | _animation_file(name, animation))
    content, size = renditions[0]
    digest = hashlib.sha256(content + animation).hexdigest()
    return StoredPicture(name, *size, bool(animation), colours, digest)


def status_picture_bytes(config: Config, name: str) -> int:
    """Return how many bytes the files of a status's picture have, 0 if it has none."""
    size = 0
    for one in (*STATUS_SIDES, ANIMATED):
        with suppress(FileNotFoundError):
            size += (config.media_path / f"{name}-{one}.webp").stat().st_size
    return size


def save_link_picture(config: Config, data: IO[bytes]) -> str:
    """Store the picture of a link card, and return its name. Errors as `save`."""
    with decoding.decoded(config, data, decoding.SIDE_MIN) as picture:
        [content] = images.crop_to_webp(picture, MIDDLE, LINK_PICTURE_SIZE)
    name = f"cards/{datetime.now(UTC):%Y%m%d}/{secrets.token_hex(16)}"
    files.write(config.media_path, {f"{name}.webp": content})
    return name


def link_picture_day(name: str) -> int:
    """Return the day of a link card's picture: yyyymmdd."""
    return int(name.split("/")[1])


def copy_in_status(
    config: Config, name: str, copy_name: str, size: tuple[int, int], animated: bool
) -> bool:
    """Give a status's picture of this size a second name. Return False if a file is missing.

    Raises Unavailable if the disk does not take it.
    """
    renditions = [*rendition_sides(*size), *([ANIMATED] if animated else [])]
    return all(
        files.link(config.media_path, f"{name}-{one}.webp", f"{copy_name}-{one}.webp")
        for one in renditions
    )


def rendition_sides(width: int, height: int) -> tuple[int, ...]:
    """Return the STATUS_SIDES that a picture of this size has; only the last may be larger."""
    smaller = [side for side in STATUS_SIDES if side < max(width, height)]
    return STATUS_SIDES[: len(smaller) + 1]


def picture_url(name: str, kind: str, width: int) -> str:
    """Return the address of a member's picture for `width` CSS pixels on a dense screen."""
    widths = [width for width, _ in PICTURE_SIZES[kind]]
    best_width = min((stored for stored in widths if stored >= 2 * width), default=max(widths))
    return f"/media/{name}-{best_width}.webp"


def avatar_path(uid: int, avatar: str) -> str:
    """Return the path of a member's picture for apps, never of an SVG: these cannot draw it."""
    return picture_url(avatar, "avatar", 200) if avatar else f"/avatars/{uid}.png"


def animation_path(name: str) -> str:
    """Return the path below the media folder of what moves of an animated picture."""
    return f"{name}-{ANIMATED}.webp"


def _animation_file(name: str, animation: bytes) -> dict[str, bytes]:
    return {animation_path(name): animation} if animation else {}
