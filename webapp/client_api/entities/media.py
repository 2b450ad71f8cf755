"""Pictures of statuses, as media attachments."""

from typing import Any

import msgspec

from webapp.statuses import Picture
from webapp.statuses.values.pictures import POINT

from .blurhash import blurhash

PREVIEW_SIDE = 640  # pixels
FOCUS_OF_SIDE = {"top": (0.0, 1.0), "bottom": (0.0, -1.0), "left": (-1.0, 0.0), "right": (1.0, 0.0)}


class MediaAttachment(msgspec.Struct, kw_only=True):
    """A picture. `meta`: its sizes and its focus."""

    id: str
    url: str
    preview_url: str
    meta: dict[str, Any]
    description: str | None
    type: str = "image"
    remote_url: str | None = None
    preview_remote_url: str | None = None
    text_url: str | None = None
    blurhash: str | None = None


def media_attachment(picture: Picture, base: str) -> MediaAttachment:
    """Return a picture of a status. `base`: the address of the site."""
    files = picture.paths
    preview = next((file for file in files if max(file[1:]) >= PREVIEW_SIDE), files[-1])
    x, y = focus_point(picture.focus)
    return MediaAttachment(
        id=str(media_id(picture)),
        url=f"{base}{picture.full_path}",
        preview_url=f"{base}{preview[0]}",
        meta={
            "original": _size(files[-1][1], files[-1][2]),
            "small": _size(preview[1], preview[2]),
            "focus": {"x": x, "y": y},
        },
        description=picture.alt or None,
        blurhash=blurhash(picture.colours),
    )


def media_id(picture: Picture) -> int:
    """Return the id of a picture: a part of its random name."""
    return int(picture.name[-13:], 16)


def focus_point(focus: str) -> tuple[float, float]:
    """Return a stored focus as clients have it: from -1 to 1, to the right and to the top."""
    if point := POINT.fullmatch(focus):
        return round(int(point[1]) / 5 - 1, 1), round(1 - int(point[2]) / 5, 1)
    return FOCUS_OF_SIDE.get(focus, (0.0, 0.0))


def stored_focus(text: str) -> str:
    """Return a client's focus `x,y` as it is stored. Raises ValueError."""
    x, _, y = text.partition(",")
    across, down = (float(x) + 1) * 5, (1 - float(y)) * 5
    if not (0 <= across <= 10 and 0 <= down <= 10):
        raise ValueError(text)
    column, row = round(across), round(down)
    return "" if (column, row) == (5, 5) else f"{column}-{row}"


def _size(width: int, height: int) -> dict[str, Any]:
    return {
        "width": width,
        "height": height,
        "size": f"{width}x{height}",
        "aspect": round(width / height, 4),
    }
