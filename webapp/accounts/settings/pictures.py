"""The pictures that the profile form uploads."""

from __future__ import annotations

from flask import g

from webapp.core.media import storage as media
from webapp.core.media.decoding import BadPicture
from webapp.core.web.context import config

from .forms import ProfileForm

PICTURES = ("avatar", "header")


def save_pictures(form: ProfileForm) -> dict[str, str]:
    """Store the uploaded pictures and return their names by kind; "" for a removed one.

    A fault of a picture becomes an error of its field.
    """
    changes = {}
    for kind in PICTURES:
        picture = form[kind].data
        if picture:
            try:
                changes[kind] = media.save(
                    config(), g.viewer.uid, kind, picture.stream, form[kind].crop
                )
            except BadPicture as refusal:
                form[kind].errors = [str(refusal.sentence)]
        elif form[f"remove_{kind}"].data:
            changes[kind] = ""
    return changes
