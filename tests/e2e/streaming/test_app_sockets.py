"""A browser's app opens its stream at the address of the pages, from another origin."""

from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import Browser

from tests.support.client_api import app_token
from tests.support.processes import until
from tests.support.streaming.client import Scene

LISTEN = """([address, token]) => {
    window.frames_read = []
    const socket = new WebSocket(address, token)
    socket.onopen = () => {
        window.protocol = socket.protocol
        socket.send(JSON.stringify({ type: "subscribe", stream: "user" }))
    }
    socket.onmessage = event => window.frames_read.push(JSON.parse(event.data))
}"""
IDS = "() => window.frames_read.map(frame => JSON.parse(frame.payload).id)"


@pytest.mark.long
def test_an_app_of_another_origin_listens_on_the_port_of_the_pages(
    browser: Browser, scene: Scene
) -> None:
    elsewhere = ThreadingHTTPServer(("127.0.0.1", 0), SimpleHTTPRequestHandler)
    Thread(target=elsewhere.serve_forever, daemon=True).start()
    page = browser.new_page()
    page.goto(f"http://127.0.0.1:{elsewhere.server_port}/README.md")
    token = app_token(scene.site, scene.ben)
    address = f"ws://127.0.0.1:{scene.site.config.port}/api/v1/streaming"
    page.evaluate(LISTEN, [address, token])

    def is_heard() -> bool:
        [status_id] = scene.post("a lark")
        page.wait_for_timeout(300)
        return str(status_id) in page.evaluate(IDS)

    until(is_heard)
    assert page.evaluate("window.protocol") == token
    page.close()
    elsewhere.shutdown()
    elsewhere.server_close()
