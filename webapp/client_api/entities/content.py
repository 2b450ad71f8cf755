"""Texts as HTML with the classes by which clients know mentions, hashtags and links."""

from functools import lru_cache

from markupsafe import escape

from webapp.core.text.parser import Entity, href, segments, tag_name

KEPT = 2_000  # texts, of a kilobyte or two each
SHOWN_MAX = 30  # characters of a link that are shown
LINK = '<a href="{href}" target="_blank" rel="{rel}" translate="no">{parts}</a>'
MENTION = (
    '<span class="h-card" translate="no"><a href="{base}/@{login}" class="u-url mention">'
    "@<span>{login}</span></a></span>"
)
HASHTAG = '<a href="{base}/tags/{name}" class="mention hashtag" rel="tag">#<span>{text}</span></a>'


@lru_cache(KEPT)
def to_html(text: str, entities: tuple[Entity, ...], base: str) -> str:
    """Return a text as paragraphs of HTML; "" for none. `base`: the address of the site.

    It is made once for a text: it depends on nothing else, whoever reads it.
    """
    if not text:
        return ""
    parts = (_part(run, entity, base) for run, entity in segments(text, entities))
    paragraphs = "".join(parts).split("\n\n")
    return "".join(f"<p>{one.strip().replace(chr(10), '<br />')}</p>" for one in paragraphs)


def link(url: str, rel: str = "nofollow noopener") -> str:
    """Return a link as HTML, shortened. `rel`: how the page relates to it."""
    return LINK.format(href=escape(url), rel=rel, parts=_shortened(url))


def _part(run: str, entity: Entity | None, base: str) -> str:
    if entity is None or entity.kind == "cashtag":
        return str(escape(run))
    if entity.kind == "mention":
        return MENTION.format(base=base, login=escape(entity.text))
    if entity.kind == "hashtag":
        name = escape(tag_name(entity.text))
        return HASHTAG.format(base=base, name=name, text=escape(entity.text))
    return link(href(entity.text))


def _shortened(url: str) -> str:
    """Return a link in three parts: its scheme and its end are there, but not seen."""
    scheme, separator, rest = url.partition("://")
    shown, hidden = rest[:SHOWN_MAX], rest[SHOWN_MAX:]
    parts = (
        ("invisible", scheme + separator),
        ("ellipsis" if hidden else "", shown),
        ("invisible", hidden),
    )
    return "".join(f'<span class="{kind}">{escape(part)}</span>' for kind, part in parts)
