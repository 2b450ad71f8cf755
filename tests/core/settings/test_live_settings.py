"""Live settings: each process learns of a change, a moved version is refused, bad values are."""

import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import long
from tests.support.concurrently import concurrently
from webapp.config import BadSetting, Config, Rate, changed
from webapp.core.errors import Conflict, Unavailable
from webapp.core.settings import keys, store
from webapp.core.settings.bans_and_countries import change_ban
from webapp.core.settings.declared import SETTINGS, as_text, parse_change
from webapp.core.settings.live import LiveSettings, LiveSite
from webapp.core.store import Db, Site
from webapp.core.store.connection import connect
from webapp.site_settings import Ban

ROOT = Path(__file__).parents[3]
# A process that prints STATUS_MAX and the number of bans as it learns of them.
# Its channel may be cut.
LISTENER = """
import sys, time
from webapp.config import load
from webapp.core.settings import store
from webapp.core.settings.live import LiveSettings
from webapp.core.store.connection import connect
store.CHANNEL = sys.argv[2]
live = LiveSettings(load({"redis_url": sys.argv[1]}, {}))
store.watch(connect(live.base), live)
seen = None
while True:
    now = (live.current.status_max, len(live.current.bans.bans))
    if now != seen:
        seen = now
        print(*seen, flush=True)
    time.sleep(0.002)
"""


@pytest.fixture
def live(site: Site) -> LiveSettings:
    """The settings of a process."""
    return LiveSettings(site.config)


def test_a_change_holds_at_once_and_is_in_the_history(site: Site, live: LiveSettings) -> None:
    kept = LiveSite(site.db, live)
    store.change(site.db, live, {"signup": "closed", "limit_post": "3/60"}, "ann", "spam")
    assert kept.config.signup == "closed" and kept.config.limit_post == Rate(3, 60)
    assert live.base.signup == "open"
    last, first = site.db.read(store.history())
    assert (last.name, last.before, last.after, last.by) == ("limit_post", None, "3/60", "ann")
    assert site.db.read(store.one_change(first.id)) == first and first.reason == "spam"
    store.change(site.db, live, {"signup": None})
    assert kept.config.signup == "open" and kept.config.limit_post == Rate(3, 60)


def test_a_change_after_another_is_refused_and_the_others_value_is_in_use(
    site: Site, live: LiveSettings
) -> None:
    other = LiveSettings(site.config)
    store.change(site.db, other, {"status_max": "300"}, "ben", expected=other.version)
    with pytest.raises(Conflict):
        store.change(site.db, live, {"status_max": "400"}, "ann", expected=live.version)
    assert live.current.status_max == 300
    store.change(site.db, live, {"status_max": "400"}, "ann", expected=live.version)
    store.refresh(site.db, other)
    assert other.current.status_max == 400


def test_a_change_is_refused_only_after_one_of_the_same_setting(
    site: Site, live: LiveSettings
) -> None:
    store.change(site.db, live, {"signup": "closed"})
    seen = live.version
    change_ban(site.db, Ban("word", "spam", "refuse"), True, {}, "")
    store.change(site.db, LiveSettings(site.config), {"status_max": "300"})
    store.change(site.db, live, {"signup": None}, expected=seen)
    assert live.current.signup == "open" and live.current.status_max == 300
    for outdated in (seen, "0", "x", "1e999"):
        with pytest.raises(Conflict):
            store.change(site.db, live, {"signup": "closed"}, expected=outdated)


def test_of_fifty_changes_at_once_one_is_made(site: Site) -> None:
    def change(number: int) -> None:
        live = LiveSettings(site.config)
        store.change(site.db, live, {"status_max": str(300 + number)}, expected="0")

    assert concurrently(change, 50).count("settings_moved") == 49
    assert len(site.db.read(store.history())) == 1


def test_an_older_reply_a_bad_value_and_a_silent_store_change_nothing(
    site: Site, live: LiveSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.change(site.db, live, {"status_max": "300"})
    live.apply("5", {"status_max": "10"})
    assert live.current.status_max == 300
    site.db.run(("HSET", keys.settings(), "status_max", "many"))
    store.change(site.db, live, {"signup": "closed"})
    assert live.current.status_max == site.config.status_max and live.current.signup == "closed"

    def fail(db: Db, command: object) -> None:
        raise Unavailable("store_down")

    monkeypatch.setattr(type(site.db), "run", fail)
    with pytest.raises(Unavailable):
        store.refresh(site.db, live)
    assert live.current.signup == "closed"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("secret_key", "mine"),
        ("nothing", "1"),
        ("signup", "nobody"),
        ("status_max", "many"),
        ("status_max", "0"),
        ("status_max", "5001"),
        ("limit_post", "0/60"),
        ("limit_post", "1/99999999"),
        ("features", "drops"),
        ("site_name", "<b>"),
        ("site_name", "100%"),
        ("accent", "#ffff00"),
        ("accent", "red"),
        ("announcement_until", "tomorrow"),
        ("site_description", "a" * 501),
        ("rules", "a\x00b"),
        ("rules", "a\u202eb"),
        ("site_name", "Fin\nch"),
        ("site_name", "Fin\u2028ch"),
        ("site_description", "one\ntwo"),
        ("site_description", "one\rtwo"),
        ("contact_email", "a@b.example\nCanonical: https://other.example"),
        ("contact_email", "a@b.example\x85c"),
        ("contact_email", "ask the owl"),
        ("contact_email", "javascript:alert(1)"),
        ("contact_email", "http://linnet.example/report"),
    ],
)
def test_what_the_environment_may_not_hold_is_refused(name: str, value: str) -> None:
    with pytest.raises(BadSetting):
        parse_change(Config(), name, value)


@pytest.mark.parametrize("name", ["site_name", "site_description", "contact_email"])
def test_no_process_starts_with_a_line_break_in_a_line(name: str) -> None:
    with pytest.raises(BadSetting):
        changed(Config(), {name: "a@b.example\nCanonical: https://other.example"})


def test_a_text_of_several_lines_may_have_wide_spaces() -> None:
    text = "友善\u3000待人\n不发广告"
    assert parse_change(Config(), "rules", text) == text


def test_every_setting_takes_its_own_default() -> None:
    for setting in SETTINGS:
        default = as_text(getattr(Config(), setting.name))
        assert parse_change(Config(), setting.name, default) == default


def test_an_announcement_ends() -> None:
    config = replace(Config(), announcement_en="Hi", announcement_until="2026-01-01 00:00")
    assert config.announcement("zh", 1767225599) == "Hi"
    assert config.announcement("en", 1767225600) == ""


@pytest.fixture
def listeners(settings: Config) -> Iterator[list[subprocess.Popen[str]]]:
    """Four processes; two of them hear no message."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", LISTENER, settings.redis_url, channel],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        for channel in ("settings", "settings", "cut", "cut")
    ]
    yield processes
    for process in processes:
        process.kill()
        process.communicate()


@pytest.mark.slow
@pytest.mark.parametrize(("changes", "bans"), [(4, 2), long(20, 4)])
def test_four_processes_see_changes_each_within_a_second_even_without_messages(
    settings: Config, listeners: list[subprocess.Popen[str]], changes: int, bans: int
) -> None:
    db, live = connect(settings), LiveSettings(settings)
    await_line(listeners, f"{settings.status_max} 0")
    slowest = 0.0
    last = 999 + changes
    for number in range(1_000, last + 1):
        store.change(db, live, {"status_max": str(number)})
        slowest = max(slowest, await_line(listeners, f"{number} 0"))
    for number in range(1, bans + 1):
        change_ban(db, Ban("word", f"spam{number}", "refuse"), True, {}, "")
        slowest = max(slowest, await_line(listeners, f"{last} {number}"))
    assert slowest < 3  # a second, and what a busy machine adds
    db.close()


def await_line(listeners: list[subprocess.Popen[str]], line: str) -> float:
    """Read the next line of each process, which must be this one. Return the seconds."""
    began = time.monotonic()
    for process in listeners:
        assert process.stdout and process.stdout.readline() == f"{line}\n"
    return time.monotonic() - began
