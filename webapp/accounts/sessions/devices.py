"""The device that a session is used with."""

from dataclasses import dataclass

from webapp.core.net.ip import network_of, parse_address

USER_AGENT_MAX = 300  # characters of a User-Agent that are stored


@dataclass(frozen=True, slots=True)
class Device:
    """An address and a browser's User-Agent."""

    ip_address: str = ""
    user_agent: str = ""

    @property
    def agent(self) -> str:
        """Return the User-Agent, cut, in one line, without surrogates."""
        text = self.user_agent.encode("utf-8", "replace").decode()
        return text.replace("\n", " ")[:USER_AGENT_MAX]

    @property
    def network(self) -> str:
        """Return the network of the address, "" for none."""
        return network_of(self.ip_address)

    @property
    def note(self) -> str:
        """Return the note for security logs: the User-Agent, and the network in another line."""
        return f"{self.agent}\n{self.network}"

    def script_arguments(self) -> dict[str, str]:
        """Return the bare address, "" for none, and `agent`."""
        address = str(parse_address(self.ip_address) or "")
        return {"address": address, "agent": self.agent}


NO_DEVICE = Device()
