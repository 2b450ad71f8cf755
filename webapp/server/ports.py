"""Ports: checked before a server binds one, because two Granians share a port silently."""

import errno
import socket
from http.client import HTTPConnection, HTTPException

from webapp.config import BadSetting

ANSWER_TIMEOUT = 1.0  # seconds
LOOPBACK_OF = {"0.0.0.0": "127.0.0.1", "::": "::1"}
REASONS = {
    errno.EADDRINUSE: "Port {port} of {host} is taken by another program."
    " Choose another one with {options}.",
    errno.EACCES: "Port {port} may only be used by an administrator."
    " Choose one above 1023 with {options}.",
    errno.EADDRNOTAVAIL: "HOST={host} is not an address of this machine.",
}
UNKNOWN_REASON = (
    "Port {port} of {host} cannot be used ({error}). Choose another one with {options}."
)


def check_available(host: str, port: int, option_names: str) -> None:
    """Raise BadSetting unless `port` can be listened on. It names the options to change."""
    if not 0 < port < 65536:
        raise BadSetting(f"{port} is not a port: choose one from 1 to 65535 with {option_names}.")
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        _try_bind(family, address)
    except socket.gaierror:
        raise BadSetting(f"HOST={host} is not an address of this machine.") from None
    except OSError as error:
        reason = REASONS.get(error.errno or 0, UNKNOWN_REASON)
        raise BadSetting(
            reason.format(host=host, port=port, options=option_names, error=error)
        ) from None
    if _accepts_connections(reachable_host(host), port):
        reason = REASONS[errno.EADDRINUSE]
        raise BadSetting(reason.format(host=host, port=port, options=option_names))


def reachable_host(host: str) -> str:
    """Return the address at which this machine reaches a server that listens on `host`."""
    return LOOPBACK_OF.get(host, host)


def url(host: str, port: int) -> str:
    """Return the address to open in a browser on this machine."""
    name = reachable_host(host)
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"


def is_ready(host: str, port: int) -> bool:
    """Return True if the server on this port says that it is ready."""
    connection = HTTPConnection(reachable_host(host), port, timeout=ANSWER_TIMEOUT)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def _try_bind(family: int, address: tuple[object, ...]) -> None:
    """Bind and let go. Raises OSError.

    SO_REUSEADDR ignores connections that are about to end. SO_REUSEPORT would ignore a listener.
    """
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(address)


def _accepts_connections(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), ANSWER_TIMEOUT) as probe:
            # A socket may get the very port that it calls, and reach itself.
            return bool(probe.getsockname() != probe.getpeername())
    except OSError:
        return False
