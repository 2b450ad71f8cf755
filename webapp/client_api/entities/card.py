"""Cards of links."""

from __future__ import annotations

import msgspec

from webapp.statuses.values.card import LinkCard

WIDTH, HEIGHT = 400, 300  # of our copy of a card's picture


class PreviewCard(msgspec.Struct, kw_only=True):
    """The card of a linked page."""

    url: str
    title: str
    description: str
    provider_name: str
    width: int
    height: int
    image: str | None
    type: str = "link"
    author_name: str = ""
    author_url: str = ""
    provider_url: str = ""
    html: str = ""
    embed_url: str = ""
    blurhash: str | None = None
    language: str | None = None
    authors: list[str] = []


def preview_card(card: LinkCard, base: str) -> PreviewCard:
    """Return the card of a status. `base`: the address of the site."""
    return PreviewCard(
        url=card.url,
        title=card.title,
        description=card.description,
        provider_name=card.host,
        width=WIDTH if card.picture else 0,
        height=HEIGHT if card.picture else 0,
        image=f"{base}/media/{card.picture}.webp" if card.picture else None,
    )
