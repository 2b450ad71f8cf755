"""Messages of pages about sessions that ended."""

from __future__ import annotations

from flask import flash
from flask_babel import ngettext


def flash_signed_out(count: int) -> None:
    """Say how many other devices were signed out."""
    message = ngettext(
        "%(num)d other device was logged out.", "%(num)d other devices were logged out.", count
    )
    flash(message)
