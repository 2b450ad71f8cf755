"""Browsers by their names."""

from __future__ import annotations

from flask_babel import gettext as _
from ua_parser import parse


def device_name(agent: str) -> str:
    """A browser and its system in words, from its description of itself (`User-Agent`)."""
    found = parse(agent)
    browser = found.user_agent.family if found.user_agent else ""
    system = found.os.family if found.os else ""
    if browser and system:
        return str(_("%(browser)s on %(system)s", browser=browser, system=system))
    return browser or system or str(_("Unknown device"))
