"""Names of devices, from browsers' User-Agent headers."""

from __future__ import annotations

from flask_babel import gettext as _
from ua_parser import parse


def device_name(user_agent: str) -> str:
    """Return a browser and its system in words, from its `User-Agent`."""
    parsed = parse(user_agent)
    browser = parsed.user_agent.family if parsed.user_agent else ""
    system = parsed.os.family if parsed.os else ""
    if browser and system:
        return str(_("%(browser)s on %(system)s", browser=browser, system=system))
    return browser or system or str(_("Unknown device"))
