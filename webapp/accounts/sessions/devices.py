"""The device that a session is used with."""

from __future__ import annotations

from dataclasses import dataclass

USER_AGENT_MAX = 300  # characters of a User-Agent that are stored
IP_ADDRESS_MAX = 64  # characters: anything longer was made up in a proxy's header


@dataclass(frozen=True, slots=True)
class Device:
    """An address and a browser's User-Agent."""

    ip_address: str = ""
    user_agent: str = ""

    def script_arguments(self) -> dict[str, str]:
        """Return the device as script arguments, cut to the limits, without lone surrogates."""
        agent = self.user_agent.encode("utf-8", "replace").decode()
        return {"address": self.ip_address[:IP_ADDRESS_MAX], "agent": agent[:USER_AGENT_MAX]}


NO_DEVICE = Device()
