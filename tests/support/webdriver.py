"""Drive Firefox and WebKitGTK with commands of WebDriver.

Firefox takes them on a socket of its own (Marionette), WebKitGTK from its driver over HTTP.
Selenium would need geckodriver, which Debian does not have.
"""

import json
import os
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, BinaryIO

from tests.support.processes import PATIENCE, free_port, status_of, until

FIREFOX = next(filter(None, map(shutil.which, ("firefox-esr", "firefox"))), None)
WEBKIT = shutil.which("WebKitWebDriver") and shutil.which("Xvfb")
ESCAPE = "\ue00c"
Send = Callable[..., Any]
# Firefox's name of a command, and its path below a session of WebKit.
PATHS = {
    "WebDriver:NewSession": "",
    "WebDriver:Navigate": "/url",
    "WebDriver:Back": "/back",
    "WebDriver:FindElements": "/elements",
    "WebDriver:ElementClick": "/element/{id}/click",
    "WebDriver:ElementSendKeys": "/element/{id}/value",
    "WebDriver:ExecuteScript": "/execute/sync",
    "WebDriver:AddCookie": "/cookie",
}
SHOWN = """return [...document.querySelectorAll(arguments[0])]
    .filter(one => one.checkVisibility({ visibilityProperty: true }))
    .map(one => (one.matches("input, textarea") ? one.value : one.textContent).trim())"""
PLACE = """return [...document.querySelectorAll(arguments[0])]
    .findIndex(one => one.checkVisibility({ visibilityProperty: true }))"""
# What a page that was left had not loaded yet is no error.
ERRORS = """return Services.console.getMessageArray()
    .filter(one => one instanceof Ci.nsIScriptError && one.sourceName.startsWith("http"))
    .filter(one => !/^(Loading failed|Failed to load)/.test(one.errorMessage))
    .map(one => `${one.sourceName}: ${one.errorMessage}`)"""


class Driver:
    """A browser at a site. Elements are named by selectors, and waited for."""

    def __init__(self, send: Send) -> None:
        self._send, self.site = send, ""

    def open(self, path: str) -> None:
        self._send("WebDriver:Navigate", url=self.site + path)

    def set_cookie(self, name: str, value: str) -> None:
        """Let the browser send a cookie to the site, of which a page is open."""
        self._send("WebDriver:AddCookie", cookie={"name": name, "value": value})

    def run(self, script: str, *values: Any) -> Any:
        return self._send("WebDriver:ExecuteScript", script=script, args=list(values))

    def back(self) -> None:
        self._send("WebDriver:Back")

    def shown(self, selector: str) -> list[str]:
        """Return the texts of elements, or the values of fields, that can be seen."""
        return list(self.run(SHOWN, selector))

    def see(self, selector: str, text: str = "") -> None:
        """Wait until an element can be seen that has a text."""
        until(lambda: any(text in one for one in self.shown(selector)), lambda: self._missed(text))

    def click(self, selector: str) -> None:
        self._send("WebDriver:ElementClick", id=self._shown(selector))

    def type(self, selector: str, text: str) -> None:
        self._send("WebDriver:ElementSendKeys", id=self._shown(selector), text=text)

    def _shown(self, selector: str) -> str:
        """Return the id of the first element that can be seen."""
        self.see(selector)
        found = self._send("WebDriver:FindElements", using="css selector", value=selector)
        return str(next(iter(found[self.run(PLACE, selector)].values())))

    def _missed(self, text: str) -> str:
        return f"{text}, on a page with: {self.run('return document.body.innerText')}"


@contextmanager
def firefox(folder: Path) -> Iterator[tuple[Driver, Callable[[], list[str]]]]:
    """Run a Firefox without windows. The function returns the errors of all its pages so far."""
    port = free_port()
    (folder / "user.js").write_text(f'user_pref("marionette.port", {port});')
    options = ("--headless", "--marionette", "--no-remote", "--remote-allow-system-access")
    with (
        _running(str(FIREFOX), *options, "--profile", str(folder)),
        until(lambda: _connect(port), "Firefox does not listen") as connection,
        connection.makefile("rb") as replies,
    ):
        send = _marionette(connection, replies)
        send("WebDriver:NewSession")

        def errors() -> list[str]:
            send("Marionette:SetContext", value="chrome")
            found = send("WebDriver:ExecuteScript", script=ERRORS, args=[])
            send("Marionette:SetContext", value="content")
            return list(found)

        yield Driver(send), errors


def _marionette(connection: socket.socket, replies: BinaryIO) -> Send:
    """Return a function that sends a command to Firefox. A message is its length, `:` and JSON."""

    def read() -> Any:
        length = iter(lambda: replies.read(1), b":")
        return json.loads(replies.read(int(b"".join(length))))

    def send(command: str, **parameters: Any) -> Any:
        message = json.dumps([0, 1, command, parameters]).encode()
        connection.sendall(b"%d:%b" % (len(message), message))
        *_, error, value = read()
        assert not error, error
        return value["value"] if isinstance(value, dict) and "value" in value else value

    read()  # a greeting
    return send


def _connect(port: int) -> socket.socket | None:
    with suppress(OSError):
        return socket.create_connection(("127.0.0.1", port), PATIENCE)
    return None


@contextmanager
def webkit(folder: Path) -> Iterator[tuple[Driver, Callable[[], list[str]]]]:
    """Run a WebKitGTK on a screen of its own. It tells of no errors."""
    port, screen = free_port(), folder / "screen"
    with screen.open("w") as file, _running("Xvfb", "-displayfd", "1", stdout=file):
        display = ":" + until(lambda: screen.read_text().strip(), "Xvfb has no screen")
        options = (f"--port={port}", "--host=127.0.0.1")
        with _running("WebKitWebDriver", *options, env={**os.environ, "DISPLAY": display}):
            until(lambda: status_of(port, "/status") == 200, "WebKitWebDriver does not listen")
            send = _webkit_session(port)
            yield Driver(send), lambda: []
            send("DELETE")


def _webkit_session(port: int) -> Send:
    """Return a function that sends a command to WebKit's driver."""
    session = ""

    def send(command: str, **parameters: Any) -> Any:
        method = "POST" if command in PATHS else command
        path = f"/session{session}{PATHS.get(command, '').format(**parameters)}"
        body = json.dumps(parameters) if method == "POST" else None
        with closing(HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as connection:
            connection.request(method, path, body)
            reply = connection.getresponse()
            value = json.loads(reply.read())["value"]
        assert reply.status == 200, value
        return value

    session = "/" + send("WebDriver:NewSession", capabilities={})["sessionId"]
    return send


@contextmanager
def _running(*command: str, **options: Any) -> Iterator[None]:
    """Run a program while the block does."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **options}
    program = subprocess.Popen(command, **quiet)
    try:
        yield
    finally:
        program.terminate()
        program.wait(PATIENCE)
