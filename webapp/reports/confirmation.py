"""The sentence on the next page after a report."""

from __future__ import annotations

from flask import flash
from flask_babel import gettext as _


def confirm(is_new: bool, in_group: bool = False) -> None:
    """Say on the next page whether a report is a new one. `in_group`: of a post in a group."""
    if is_new and in_group:
        flash(_("Thanks for your report. It will be looked at."))
    elif is_new:
        flash(_("Thanks for your report. The people who run this site will look at it."))
    else:
        flash(_("You already reported this."))
