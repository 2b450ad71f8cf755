"""Dates as the v1.1 API writes them."""

from __future__ import annotations

from datetime import datetime


def format_date(moment: datetime) -> str:
    """Return a moment as `Sat Nov 21 10:15:40 +0000 2026`, whatever the language."""
    day = "Mon Tue Wed Thu Fri Sat Sun".split()[moment.weekday()]
    month = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()[moment.month - 1]
    return f"{day} {month} {moment:%d %H:%M:%S} +0000 {moment.year}"
