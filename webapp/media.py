"""Pictures that members upload: decoded, cropped and written anew as WebP, so that nothing but the picture is kept.

A name is `uid/hash`, the hash that of the largest file's content: a changed picture has another address, and no two
members share a file. The files are `<media folder>/<uid>/<hash>-<width>.webp`.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import time
import warnings
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import Lock
from typing import BinaryIO

from flask import Blueprint, Response, request
from flask_babel import gettext as _
from PIL import Image, ImageCms, ImageOps

from .app import config as app_config
from .config import Config
from .errors import NotFound, Unavailable
from .health import storeless
from .logs import log
from .security import public

JPEG = ("image/jpeg", "image/jpg", "image/pjpeg")
# What Pillow calls a format: the media types it is sent as. An MPO is a JPEG with further ones behind it.
FORMATS = {
    "JPEG": JPEG,
    "MPO": JPEG,
    "PNG": ("image/png", "image/apng", "image/x-png"),
    "WEBP": ("image/webp",),
    "GIF": ("image/gif",),
}
OPENED = ("JPEG", "PNG", "WEBP", "GIF")
SIDE_MIN = 16  # pixels of a picture's shorter side at least
SIDE_KEPT = 1500  # pixels of the shorter side beyond which a picture is halved, and so on, before anything else
SCANS_MAX = 500  # of a JPEG. A scan of 45 bytes costs a pass over the whole picture; cameras write ten at most
QUALITY = 82  # of WebP
IN_FLIGHT_SECONDS = 600  # a file this young may belong to a form that is being saved
TURN_SECONDS = 5.0  # to wait for another picture to be decoded
FILE = re.compile(r"(?P<uid>[1-9][0-9]{0,15})/[0-9a-f]{32}-[0-9]{2,4}\.webp")
YEAR = 31_536_000  # seconds
SRGB = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB"))
# Decoding 40 megapixels takes several 100 MB: a process decodes one at a time.
decoding = Lock()
bp = Blueprint("media", __name__)


@dataclass(frozen=True, slots=True)
class Kind:
    """What a picture is for: its sizes in pixels, the largest first."""

    sizes: tuple[tuple[int, int], ...]


KINDS = {"avatar": Kind(((400, 400), (192, 192), (96, 96))), "header": Kind(((1500, 500), (750, 250)))}


class BadPicture(Exception):
    """A file that is not taken. `reason` is stable; `sentence` is for people."""

    def __init__(self, reason: str, sentence: str) -> None:
        super().__init__(reason)
        self.reason, self.sentence = reason, sentence


def save(config: Config, uid: int, kind: str, data: BinaryIO, declared: str) -> str:
    """Keeps a member's picture in all sizes of its kind and returns its name. `declared`: the media type it was sent
    as. Raises BadPicture, and Unavailable when too many wait to be decoded or the disk is full.
    """
    if _length(data) > config.upload_max:
        size = config.upload_max // 1_048_576
        raise BadPicture("too_large", _("That file is larger than %(size)d MB.", size=size))
    with _turn():
        picture = _decoded(config, data.read(), declared)
        files = {size[0]: _encoded(picture, size) for size in KINDS[kind].sizes}
    name = hashlib.sha256(files[max(files)]).hexdigest()[:32]
    folder = config.media_path / str(uid)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for width, content in files.items():
            _write(folder / f"{name}-{width}.webp", content)
    except OSError as error:
        log.error("pictures cannot be kept in %s: %s", folder, error)
        raise Unavailable("unkept") from error
    return f"{uid}/{name}"


def path(name: str, kind: str, width: int) -> str:
    """The address of a picture shown `width` CSS pixels wide, fit for a screen with two pixels to each."""
    widths = [size[0] for size in KINDS[kind].sizes]
    fit = min((stored for stored in widths if stored >= 2 * width), default=max(widths))
    return f"/media/{name}-{fit}.webp"


def sweep(config: Config, uid: int, keep: Collection[str], gone: Collection[str] = ()) -> None:
    """Removes a member's files that belong to none of the names in `keep`: those in `gone` at once, others when no form
    can be about to name them any more.
    """
    kept, now = ({name.partition("/")[2] for name in names} for names in (keep, gone))
    with suppress(FileNotFoundError):
        for file in (config.media_path / str(uid)).iterdir():
            with suppress(FileNotFoundError):
                old = file.name[:32] in now or time.time() - file.stat().st_mtime > IN_FLIGHT_SECONDS
                if old and file.name[:32] not in kept:
                    file.unlink()


def remove_all(config: Config, uid: int) -> None:
    """Removes all of a member's files, also while another process does so."""
    folder = config.media_path / str(uid)
    with suppress(FileNotFoundError):
        for file in folder.iterdir():
            file.unlink(missing_ok=True)
        folder.rmdir()


@bp.get("/media/<uid>/<name>")
@public
@storeless
def show(uid: str, name: str) -> Response:
    """A picture. It may be kept for ever: a changed one has another address."""
    file = f"{uid}/{name}"
    try:
        content = (app_config().media_path / file).read_bytes() if FILE.fullmatch(file) else None
    except FileNotFoundError:
        content = None
    if content is None:
        raise NotFound("no_picture")
    response = Response(content, mimetype="image/webp")
    response.set_etag(name)
    response.cache_control.max_age = YEAR
    response.cache_control.public = response.cache_control.immutable = True
    response.make_conditional(request)
    return response


def _length(data: BinaryIO) -> int:
    length = data.seek(0, os.SEEK_END)
    data.seek(0)
    return length


@contextmanager
def _turn() -> Iterator[None]:
    """Waits for the only place, but not so long that pictures could hold all of a process's threads."""
    if not decoding.acquire(timeout=TURN_SECONDS):
        raise Unavailable("too_many_uploads", retry_after=10)
    try:
        yield
    finally:
        decoding.release()


def _decoded(config: Config, content: bytes, declared: str) -> Image.Image:
    """The picture upright, in sRGB, as RGB or RGBA; the first one of a film."""
    broken = BadPicture("broken", _("That file is no picture we can read. Take a JPEG, PNG, WebP or GIF."))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as Pillow's own about size, which is looked at here
            return _srgb(_upright(_reduced(_loaded(config, content, declared))))
    except BadPicture:
        raise
    except Image.DecompressionBombError as error:
        raise _too_many_pixels(config) from error
    except Exception as error:  # decoders raise whatever they like at what members send
        raise broken from error


def _loaded(config: Config, content: bytes, declared: str) -> Image.Image:
    picture = Image.open(io.BytesIO(content), formats=OPENED)
    _check(config, picture, declared)
    if picture.format in ("JPEG", "MPO") and content.count(b"\xff\xda") > SCANS_MAX:
        raise ValueError("too many scans")
    picture.draft("RGB", (SIDE_KEPT, SIDE_KEPT))  # a large JPEG is decoded at a fraction of its size
    picture.load()
    return picture


def _check(config: Config, picture: Image.Image, declared: str) -> None:
    """Looks at what the file says of itself, before any of it is decoded."""
    types = FORMATS[picture.format or ""]
    width, height = picture.size
    if declared.startswith("image/") and declared not in types:
        names = {"said": declared[6:].upper()[:10], "found": types[0][6:].upper()}
        raise BadPicture("mislabelled", _("That file says it is %(said)s but is %(found)s. Save it anew.", **names))
    if width * height > config.upload_pixels:
        raise _too_many_pixels(config)
    if min(width, height) < SIDE_MIN:
        raise BadPicture("too_small", _("That picture is too small: %(least)d pixels at least.", least=SIDE_MIN))


def _too_many_pixels(config: Config) -> BadPicture:
    most = config.upload_pixels // 1_000_000
    return BadPicture("too_many_pixels", _("That picture has more than %(most)d megapixels.", most=most))


def _reduced(picture: Image.Image) -> Image.Image:
    """The picture in a mode that can be resized, and no larger than is of use: what follows costs little."""
    if picture.mode.startswith("I"):  # 16 bits; a colour that stands for nothing is not looked for
        picture.info.pop("transparency", None)
        picture = picture.point(lambda value: value / 256).convert("L")
    elif picture.mode not in ("L", "RGB", "RGBA", "CMYK") or "transparency" in picture.info:
        picture = picture.convert("RGBA" if picture.has_transparency_data else "RGB")
    factor = min(picture.size) // SIDE_KEPT
    return picture.reduce(factor) if factor > 1 else picture


def _upright(picture: Image.Image) -> Image.Image:
    with suppress(Exception):  # cameras write EXIF that cannot be read; the picture is good all the same
        return ImageOps.exif_transpose(picture)
    return picture


def _srgb(picture: Image.Image) -> Image.Image:
    target = "RGBA" if picture.mode == "RGBA" else "RGB"
    with suppress(ImageCms.PyCMSError, OSError):  # a broken profile, or none: the colours are taken as they are
        profile = ImageCms.ImageCmsProfile(io.BytesIO(picture.info.get("icc_profile") or b""))
        return ImageCms.profileToProfile(picture, profile, SRGB, outputMode=target) or picture
    return picture.convert(target)


def _encoded(picture: Image.Image, size: tuple[int, int]) -> bytes:
    fitted = ImageOps.fit(picture, size, Image.Resampling.LANCZOS)
    fitted.info.clear()
    content = io.BytesIO()
    fitted.save(content, "WEBP", quality=QUALITY, method=4, exif=b"", xmp=b"", icc_profile=b"")
    return content.getvalue()


def _write(file: Path, content: bytes) -> None:
    """Written whole, then named: nobody is ever sent a half. An old file that is the same becomes young again."""
    with NamedTemporaryFile(dir=file.parent, prefix=".", delete=False) as draft:
        draft.write(content)
        draft.flush()
        os.fsync(draft.fileno())  # the profile that will name it is on the disk at once as well
    os.chmod(draft.name, 0o644)
    os.replace(draft.name, file)
