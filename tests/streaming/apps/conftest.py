"""A site with its pages and streams: ann, and ben and cid, who follow her."""

from collections.abc import Callable, Iterator

import pytest

from tests.support.client_api import SCOPES, app_token
from tests.support.live_site import LiveSite
from tests.support.streaming.app_socket import AppSocket
from tests.support.streaming.client import Scene

Open = Callable[..., AppSocket]


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSite]:
    """The processes of the site, which tests share."""
    site = LiveSite(tmp_path_factory.mktemp("apps"), app_streams_per_member=3)
    yield site
    site.close()


@pytest.fixture
def scene(live: LiveSite) -> Iterator[Scene]:
    """New members on the site."""
    scene = live.new_scene()
    scene.ben, scene.cid = scene.join("ben"), scene.join("cid")
    for follower in (scene.ben, scene.cid):
        scene.follow(follower, "ann")
    yield scene
    scene.close()


@pytest.fixture
def connect(scene: Scene) -> Iterator[Open]:
    """Connect an app of a member, and wait until its first stream is open.

    `stream`: its name and parameters, as in an address. `settle`: the author of posts on it.
    """
    sockets: list[AppSocket] = []

    def open_socket(
        uid: int, stream: str = "user", settle: int = 0, text: str = "", scopes: str = SCOPES
    ) -> AppSocket:
        token = app_token(scene.site, uid, scopes)
        socket = AppSocket(scene.port, token, f"stream={stream}" if stream else "")
        sockets.append(socket)
        if stream:
            name = stream.partition("&")[0]
            socket.until(lambda: scene.post(text, author=settle or uid)[0], name)
        return socket

    yield open_socket
    for socket in sockets:
        socket.close()
