"""The main flows in Firefox, and in WebKit, which Safari is made of."""

from collections.abc import Iterator

import pytest

from tests.conftest import PASSWORD
from tests.support.chat import group, send_messages
from tests.support.live_site import LiveSite
from tests.support.processes import until
from tests.support.streaming.client import Scene
from tests.support.webdriver import ESCAPE, FIREFOX, WEBKIT, Driver, firefox, webkit

pytestmark = [pytest.mark.long, pytest.mark.kill, pytest.mark.xdist_group("live site")]
ENGINES = {
    "firefox": (firefox, FIREFOX, "no firefox or firefox-esr on the PATH"),
    "webkit": (webkit, WEBKIT, "no WebKitWebDriver (webkit2gtk-driver) or Xvfb on the PATH"),
}
FIRST = ".status .status-body"
OPENED = "return document.querySelector('.popover-menu')?.matches(':popover-open') ?? false"
KEPT = "return Object.values(sessionStorage).some(one => one.includes(arguments[0]))"
TOP = "return document.querySelector(arguments[0])?.getBoundingClientRect().top ?? 0"
FOCUSED = "return document.activeElement.matches('.status [data-menu]')"


@pytest.fixture(params=ENGINES, scope="module")
def engine(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Driver]:
    """A browser that is no Chromium. No page of it may have an error."""
    run, is_there, reason = ENGINES[request.param]
    if not is_there:
        pytest.skip(reason)
    with run(tmp_path_factory.mktemp(request.param)) as (driver, errors):
        yield driver
        assert errors() == []


@pytest.fixture
def scene(live_site: LiveSite, engine: Driver) -> Iterator[Scene]:
    """ann, whom ben follows, who is signed in."""
    scene = live_site.new_scene()
    scene.ben = scene.join("ben")
    scene.follow(scene.ben, "ann")
    scene.post("an old song")
    engine.site = f"http://127.0.0.1:{live_site.config.port}"
    engine.open("/offline")
    cookie = scene.sign_in(scene.ben)["Cookie"].partition("linnet=")[2]
    engine.set_cookie("linnet", cookie)
    yield scene
    scene.close()


def test_a_new_member_writes_a_post_and_opens_its_menu(scene: Scene, engine: Driver) -> None:
    engine.set_cookie("linnet", "of nobody")
    engine.open("/signup")
    text = f"Hello, 世界, from {scene.login('cid')}"
    for name, value in (("login", scene.login("cid")), ("name", "Cid"), ("password", PASSWORD)):
        engine.type(f"form [name={name}]", value)
    engine.click("main .button:not(a)")
    engine.see(".welcome-progress")
    engine.open("/welcome/done")
    engine.click("main form .button")
    engine.type("#text", text)
    until(lambda: engine.run(KEPT, text))
    engine.open("/home")
    engine.see("#text", text)
    engine.click(".composer-send button")
    engine.see(FIRST, text)
    assert engine.shown("#text") == [""]
    engine.click(".status [data-menu]")
    engine.see(".popover-menu .menu-item", "Delete…")
    engine.type(".popover-menu .menu-item", ESCAPE)
    until(lambda: not engine.run(OPENED))
    assert engine.run(FOCUSED)


def test_a_live_post_arrives_and_back_leads_to_it(scene: Scene, engine: Driver) -> None:
    engine.open("/home")
    engine.see(FIRST, "an old song")
    scene.post("a new song")
    engine.see(".live-button", "1 new post")
    engine.click(".live-button")
    engine.see(FIRST, "a new song")
    engine.click(".status .status-time")
    engine.see(".status-large .status-body", "a new song")
    engine.back()
    until(lambda: engine.shown(FIRST) == ["a new song", "an old song"])


@pytest.mark.parametrize("engine", ["webkit"], indirect=True)  # it keeps the page that is left
def test_back_leads_to_the_place_among_appended_posts(scene: Scene, engine: Driver) -> None:
    seen = f"#status-{scene.post(count=20)[4]}"
    engine.open("/home")
    until(lambda: engine.run("scrollBy(0, 400)") or engine.shown(seen))
    engine.run("document.querySelector(arguments[0]).scrollIntoView({ block: 'center' })", seen)
    place = engine.run(TOP, seen)
    engine.click(f"{seen} .status-time")
    engine.see(".status-large .status-body")
    engine.back()
    until(lambda: abs(engine.run(TOP, seen) - place) < 2, lambda: str(engine.run(TOP, seen)))


def test_messages_are_sent_and_arrive(scene: Scene, engine: Driver, live_site: LiveSite) -> None:
    chat_id = group(live_site, scene.ann, [scene.ben])
    scene.apply_events()
    engine.open(f"/chats/{chat_id}")
    engine.type("#composer textarea", "from a browser")
    engine.click("#composer .chat-submit")
    engine.see(".message:not(.pending) .message-text", "from a browser")
    scene.do(send_messages, scene.ann, chat_id, "from ann")
    engine.see(".message:not(.pending) .message-text", "from ann")
