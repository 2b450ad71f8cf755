"""What a status may say beside its text: what forms and drafts give to who posts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from ..accounts.quoting import Quoting
from .answerers import Answerers
from .pictures import Picture, pack_pictures
from .polls import Poll, pack_poll
from .visibility import Visibility


class Said(TypedDict, total=False):
    """`reply`: the status it answers. `cw`: what its author warns of. `pictures`: those that uploads.py has just kept.
    `visibility`: None for as visible as what it answers. `poll`: what it asks. `answerers`: who may reply to it; of a
    reply this is not asked. `quote`: the status it quotes. `quoting`: who may quote it.
    """

    reply: int | None
    cw: str
    pictures: Sequence[Picture]
    visibility: Visibility | None
    poll: Poll | None
    answerers: Answerers
    quote: int | None
    quoting: Quoting


def telling(said: Said) -> str:
    """What makes it another status than one with the same text: part of what a form's key stands for."""
    asked = pack_poll(said.get("poll")) + said.get("answerers", Answerers.EVERYBODY).value
    quote = f"quote {said['quote']} " if said.get("quote") else ""
    return f"{said.get('reply') or ''}{asked}" + "".join(picture.digest for picture in said.get("pictures", ())) + quote


def stored(said: Said) -> tuple[str, ...]:
    """The fields of a status that hold it, each with its value, "" for none; the first is `media`."""
    shown = ("media", pack_pictures(said.get("pictures", ())), "cw", said.get("cw", ""))
    quoting = said.get("quoting", Quoting.EVERYONE).value
    return (*shown, "poll", pack_poll(said.get("poll")), "quote", str(said.get("quote") or ""), "quoting", quoting)
