"""The composer without anything in it, as pages show it below their heading."""

from markupsafe import Markup

from webapp.accounts.member import Member
from webapp.core.rendering.fragments import fragments
from webapp.core.rendering.shells import fill_in, placeholder

from .remembered_audience import remembered_audience

UID, PICTURE = "uid", "picture"


def blank_composer(writer: Member, focus: bool = False) -> Markup:
    """Return a member's composer, but for its key and its end.

    Members whose posts begin with the same audience share the fragment. To render it takes longer
    than all else that is new on a member's first home.
    """
    fragment = fragments()
    composer = fragment(
        "statuses/composer_form.html",
        "blank_composer",
        remembered_audience(writer),
        focus,
        placeholder(UID),
        placeholder(PICTURE),
    )
    picture = fragment("components/avatar.html", "avatar", writer)
    return Markup(fill_in(composer, {UID: writer.uid, PICTURE: picture}))
