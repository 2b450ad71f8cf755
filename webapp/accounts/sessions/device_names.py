"""Names of devices, from browsers' User-Agent headers, and how many were logged out."""

from flask import flash
from flask_babel import gettext as _, ngettext
from ua_parser import parse

from webapp.core.i18n.formatting import country_name
from webapp.core.net.countries import country_of
from webapp.core.web import config

from .devices import Device


def device_label(device: Device) -> str:
    """Return a device in words, with the country of its address if that is known."""
    name, country = device_name(device.user_agent), country_of(config(), device.ip_address)
    if not country:
        return name
    return str(_("%(device)s, %(country)s", device=name, country=country_name(country)))


def device_name(user_agent: str) -> str:
    """Return a browser and its system in words, from its `User-Agent`."""
    parsed = parse(user_agent)
    browser = parsed.user_agent.family if parsed.user_agent else ""
    system = parsed.os.family if parsed.os else ""
    if browser and system:
        return str(_("%(browser)s on %(system)s", browser=browser, system=system))
    return browser or system or str(_("Unknown device"))


def flash_signed_out(count: int) -> None:
    """Say how many other devices were signed out."""
    message = ngettext(
        "%(num)d other device was logged out.", "%(num)d other devices were logged out.", count
    )
    flash(message)
