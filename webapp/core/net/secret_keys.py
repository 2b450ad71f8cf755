"""The keys of the site: SECRET_KEY, which signs and seals, and the one before, which still opens.

Whatever checks a signature or opens a secret asks here, so that a change of SECRET_KEY ends nothing
as long as SECRET_KEY_PREVIOUS names the old one.
"""

from __future__ import annotations

from webapp.config import Config


def accepted_keys(config: Config) -> list[str]:
    """Return the keys that are accepted, the present one last, as itsdangerous takes them."""
    return [key for key in (config.secret_key_previous, config.secret_key) if key]
