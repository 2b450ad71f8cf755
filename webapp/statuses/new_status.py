"""What a status may say beside its text: what forms and drafts give to who posts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from webapp.accounts.quote_policy import QuotePolicy

from .attachments.pictures import Picture, pack_pictures
from .polls.poll import Poll, pack_poll
from .visibility.reply_policy import ReplyPolicy
from .visibility.visibility import Visibility


class StatusOptions(TypedDict, total=False):
    """`reply`: the status it answers. `cw`: what its author warns of. `pictures`: those that uploads.py has just kept.
    `visibility`: None for as visible as what it answers. `poll`: what it asks. `answerers`: who may reply to it; of a
    reply this is not asked. `quote`: the status it quotes. `quoting`: who may quote it.
    """

    reply: int | None
    cw: str
    pictures: Sequence[Picture]
    visibility: Visibility | None
    poll: Poll | None
    answerers: ReplyPolicy
    quote: int | None
    quoting: QuotePolicy


def fingerprint(options: StatusOptions) -> str:
    """What makes it another status than one with the same text: part of what a form's key stands for."""
    poll_and_policy = (
        pack_poll(options.get("poll")) + options.get("answerers", ReplyPolicy.EVERYBODY).value
    )
    quote = f"quote {options['quote']} " if options.get("quote") else ""
    return (
        f"{options.get('reply') or ''}{poll_and_policy}"
        + "".join(picture.digest for picture in options.get("pictures", ()))
        + quote
    )


def options_to_fields(options: StatusOptions) -> tuple[str, ...]:
    """The fields of a status that hold it, each with its value, "" for none; the first is `media`."""
    content = ("media", pack_pictures(options.get("pictures", ())), "cw", options.get("cw", ""))
    quote_policy = options.get("quoting", QuotePolicy.EVERYONE).value
    return (
        *content,
        "poll",
        pack_poll(options.get("poll")),
        "quote",
        str(options.get("quote") or ""),
        "quoting",
        quote_policy,
    )
