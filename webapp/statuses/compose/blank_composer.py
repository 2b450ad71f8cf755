"""The composer without anything in it, as pages show it below their heading."""

from markupsafe import Markup

from webapp.accounts.member import Member
from webapp.core.rendering.fragments import fragments
from webapp.core.rendering.shells import fill_in, placeholder

from .remembered_audience import Audience, remembered_audience

TEMPLATE = "statuses/composer_form.html"


def blank_composer(writer: Member, focus: bool = False) -> Markup:
    """Return a member's composer, but for its key and its end."""
    return Markup(fill_in(shared_composer(remembered_audience(writer), focus), own_parts(writer)))


def shared_composer(audience: Audience, focus: bool = False) -> Markup:
    """Return the composer that members with the same audience share.

    It has placeholders for their `own_parts`. Rendering it takes longer than the rest of a member's
    first home.
    """
    places = placeholder("writer_uid"), placeholder("writer_picture")
    return fragments()(TEMPLATE, "blank_composer", audience, focus, *places)


def own_parts(writer: Member) -> dict[str, str]:
    """Return the member's own parts of the composer, by placeholder."""
    picture = fragments()("components/avatar.html", "avatar", writer)
    return {"writer_uid": str(writer.uid), "writer_picture": picture}
