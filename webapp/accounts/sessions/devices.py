"""The device that a session is used with."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.core.net.ip import parse_address

USER_AGENT_MAX = 300  # characters of a User-Agent that are stored


@dataclass(frozen=True, slots=True)
class Device:
    """An address and a browser's User-Agent."""

    ip_address: str = ""
    user_agent: str = ""

    def script_arguments(self) -> dict[str, str]:
        """Return the bare address, "" for none, and the User-Agent, cut, without surrogates."""
        agent = self.user_agent.encode("utf-8", "replace").decode()
        address = str(parse_address(self.ip_address) or "")
        return {"address": address, "agent": agent[:USER_AGENT_MAX]}


NO_DEVICE = Device()
