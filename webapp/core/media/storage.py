"""The files of the pictures that members upload (images.py makes them): kept, shown, swept.

A member's is named `uid/hash`, the hash that of the largest file's content: a changed picture has another address, and
no two members share a file. The files are `<media folder>/<uid>/<hash>-<width>.webp`. A chat's is named
`chat/cid/hash`, the file is `<media folder>/chat/<cid>/<hash>.webp`, and only the chat's own pages show it. A
status's is named `posts/uid/chance`, which nobody can guess, and its files are `<media folder>/<name>-<side>.webp`.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

from flask import Blueprint, Response, request

from webapp.config import Config
from webapp.core.logs import log
from webapp.core.web.context import config as app_config
from webapp.core.web.security import public
from webapp.errors import NotFound, Unavailable
from webapp.server.health import storeless

from . import images

IN_FLIGHT_SECONDS = 600  # a file this young may belong to a form that is being saved
FILE_PATTERN = re.compile(r"(?:posts/)?[1-9][0-9]{0,15}/[0-9a-f]{32}-[0-9]{2,4}\.webp")
CHAT_FILE_PATTERN = re.compile(r"chat/[1-9][0-9]{0,15}(?:-[1-9][0-9]{0,15})?/[0-9a-f]{32}")
STATUS_SIDES = (
    640,
    1280,
    2048,
)  # pixels of the longer side of a picture in a status: on a phone, a screen, alone
CHAT_SIDE = 1600  # pixels of the longer side of a picture in a chat at most
CHAT_AVATAR_SIZE = (192, 192)  # pixels of the picture of a chat
YEAR_SECONDS = 31_536_000  # seconds
IMAGE_CSP = "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'"  # how a browser lays a picture out by itself
bp = Blueprint("media", __name__)


@dataclass(frozen=True, slots=True)
class PictureKind:
    """What a picture is for: its sizes in pixels, the largest first."""

    sizes: tuple[tuple[int, int], ...]


PICTURE_KINDS = {
    "avatar": PictureKind(((400, 400), (192, 192), (96, 96))),
    "header": PictureKind(((1500, 500), (750, 250))),
}


def save(config: Config, uid: int, kind: str, data: IO[bytes], declared: str) -> str:
    """Keeps a member's picture in all sizes of its kind and returns its name. `declared`: the media type it was sent
    as. Raises BadPicture, and Unavailable when too many wait to be decoded or the disk is full.
    """
    with images.decoded(config, data, declared) as picture:
        files = {size[0]: images.crop_to_webp(picture, size) for size in PICTURE_KINDS[kind].sizes}
    name = hashlib.sha256(files[max(files)]).hexdigest()[:32]
    _store_files(
        config.media_path / str(uid),
        {f"{name}-{width}.webp": content for width, content in files.items()},
    )
    return f"{uid}/{name}"


def save_in_chat(
    config: Config, cid: str, data: IO[bytes], declared: str, salt: str, is_avatar: bool = False
) -> tuple[str, int, int]:
    """Keeps a picture sent to a chat, all of it, or the chat's own (`face`), of which the middle; returns its name,
    width and height in pixels. The same file with the same `salt` gets the same name, and with another salt never, so
    that it may be removed without a look at who else sent it. Errors as `save`.
    """
    with images.decoded(config, data, declared) as picture:
        if is_avatar:
            content, size = images.crop_to_webp(picture, CHAT_AVATAR_SIZE), CHAT_AVATAR_SIZE
        else:
            content, size = images.resize_to_webp(picture, CHAT_SIDE)
    name = hashlib.sha256(salt.encode() + b"\0" + content).hexdigest()[:32]
    _store_files(config.media_path / "chat" / cid, {f"{name}.webp": content})
    return f"chat/{cid}/{name}", *size


def save_in_status(
    config: Config, name: str, data: IO[bytes], declared: str
) -> tuple[int, int, str, str]:
    """Keeps a picture sent with a status under a name that it was given, all of it in each of its sizes; returns its
    width and height in pixels, its colours (images.py), and a hash of it. Errors as `save`.
    """
    with images.decoded(config, data, declared) as picture:
        colours = images.placeholder_colours(picture)
        renditions = {
            side: images.resize_to_webp(picture, side) for side in rendition_sides(*picture.size)
        }
    folder, _, stem = name.rpartition("/")
    _store_files(
        config.media_path / folder,
        {f"{stem}-{side}.webp": content for side, (content, _) in renditions.items()},
    )
    content, size = renditions[max(renditions)]
    return *size, colours, hashlib.sha256(content).hexdigest()


def rendition_sides(width: int, height: int) -> tuple[int, ...]:
    """Which of STATUS_SIDES a picture of this size is kept in: none but the last is smaller than it."""
    smaller = [side for side in STATUS_SIDES if side < max(width, height)]
    return STATUS_SIDES[: len(smaller) + 1]


def picture_url(name: str, kind: str, width: int) -> str:
    """The address of a picture shown `width` CSS pixels wide, fit for a screen with two pixels to each."""
    widths = [size[0] for size in PICTURE_KINDS[kind].sizes]
    best_width = min((stored for stored in widths if stored >= 2 * width), default=max(widths))
    return f"/media/{name}-{best_width}.webp"


def sweep_folder(
    config: Config, folder: int | str, keep: Collection[str], remove_now: Collection[str] = ()
) -> None:
    """Removes the files of a folder (a member's id, or `chat/<cid>`) that belong to none of the names in `keep`: those
    in `gone` at once, others when no form can be about to name them any more.
    """
    kept_hashes, remove_now_hashes = (
        {name.rpartition("/")[2] for name in names} for names in (keep, remove_now)
    )
    with suppress(FileNotFoundError):
        for file in (config.media_path / str(folder)).iterdir():
            with suppress(FileNotFoundError):
                removable = (
                    file.name[:32] in remove_now_hashes
                    or time.time() - file.stat().st_mtime > IN_FLIGHT_SECONDS
                )
                if removable and file.name[:32] not in kept_hashes:
                    file.unlink()


def remove_chat_pictures(config: Config, names: Collection[str]) -> None:
    """Removes pictures of chats, by their names."""
    for name in names:
        if CHAT_FILE_PATTERN.fullmatch(name):
            (config.media_path / f"{name}.webp").unlink(missing_ok=True)


def remove_status_pictures(config: Config, names: Collection[str]) -> None:
    """Removes pictures of statuses, by their names."""
    for name in names:
        for side in STATUS_SIDES:
            (config.media_path / f"{name}-{side}.webp").unlink(missing_ok=True)


def remove_all(config: Config, folder: int | str) -> None:
    """Removes all files of a folder, also while another process does so."""
    target = config.media_path / str(folder)
    with suppress(FileNotFoundError):
        for file in target.iterdir():
            file.unlink(missing_ok=True)
        target.rmdir()


def chat_picture_response(config: Config, name: str) -> Response:
    """The picture of this name, for whom the caller has found to be allowed to see it. Raises NotFound."""
    if not CHAT_FILE_PATTERN.fullmatch(name):
        raise NotFound("no_picture")
    response = _immutable_response(_read_file(config, f"{name}.webp"), name.rpartition("/")[2])
    response.cache_control.private = True
    return response


@bp.get("/media/<uid>/<name>", defaults={"folder": ""})
@bp.get("/media/posts/<uid>/<name>", defaults={"folder": "posts/"})
@public
@storeless
def show(folder: str, uid: str, name: str) -> Response:
    """A picture of a member, or of a status: no cache that many share keeps that, for it is gone once it is deleted."""
    file = f"{folder}{uid}/{name}"
    if not FILE_PATTERN.fullmatch(file):
        raise NotFound("no_picture")
    response = _immutable_response(_read_file(app_config(), file), name)
    if folder:
        response.cache_control.private = True
    else:
        response.cache_control.public = True
    return response


def _store_files(folder: Path, files: Mapping[str, bytes]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            _write_atomically(folder / name, content)
    except OSError as error:
        log.error("pictures cannot be kept in %s: %s", folder, error)
        raise Unavailable("unkept") from error


def _read_file(config: Config, file: str) -> bytes:
    try:
        return (config.media_path / file).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise NotFound("no_picture") from None


def _immutable_response(content: bytes, tag: str) -> Response:
    """An answer that a browser may keep for ever: a changed picture has another address."""
    response = Response(content, mimetype="image/webp")
    response.set_etag(tag)
    response.headers["Content-Security-Policy"] = IMAGE_CSP
    response.cache_control.max_age = YEAR_SECONDS
    response.cache_control.immutable = True
    response.make_conditional(request)
    return response


def _write_atomically(file: Path, content: bytes) -> None:
    """Written whole, then named: nobody is ever sent a half. An old file that is the same becomes young again."""
    with NamedTemporaryFile(dir=file.parent, prefix=".", delete=False) as temp_file:
        temp_file.write(content)
        temp_file.flush()
        os.fsync(temp_file.fileno())  # the profile that will name it is on the disk at once as well
    os.chmod(temp_file.name, 0o644)
    os.replace(temp_file.name, file)
