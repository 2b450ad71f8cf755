"""The doctor's findings and their remedies."""

import json
import re
import shutil
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner
from redis.exceptions import NoPermissionError

from tests.support.pages import serving
from tests.support.settings import with_settings
from tests.support.timelines import post
from tests.support.upgrades import run_upgrade
from tests.support.world import World
from webapp.accounts import keys as account_keys, lifecycle
from webapp.accounts.passkeys.keys import passkeys
from webapp.admin import doctor, store_findings
from webapp.admin.setup import surroundings
from webapp.cli import main
from webapp.config import Config
from webapp.core.errors import StoreError
from webapp.core.events import keys as event_keys
from webapp.core.events.leases import Leases
from webapp.core.events.outbox import GROUPS
from webapp.core.net import safe_http
from webapp.core.store import PARTITIONS, Db, Site, first_id_at
from webapp.core.store.replies import store_down
from webapp.core.store.servers.replicas import ReplicaState
from webapp.mail import keys as mail_keys
from webapp.search.index import rebuild as rebuilding
from webapp.server import embedded_store
from webapp.server.liveness.disk_watch import DiskWatch
from webapp.statuses import keys as status_keys
from webapp.timelines import keys as timeline_keys


def findings(config: Config) -> dict[str, store_findings.Finding]:
    return {finding.message.split(":")[0]: finding for finding in doctor.report(config)}


def test_a_durable_store_is_healthy(tmp_path: Path, settings: Config) -> None:
    process = embedded_store.start(tmp_path)
    report = findings(replace(settings, redis_url="", data_dir=tmp_path))
    shown = CliRunner().invoke(main, ["--version"]).output
    assert report["version"].message == f"version: {shown.strip()}"
    embedded_store.stop(process)
    assert report["persistence"].ok and "synced always" in report["persistence"].message
    assert report["store"].ok and report["memory"].ok and report["scripts"].ok
    assert f" at {tmp_path}/valkey.sock, master" in report["store"].message
    assert report["link cards"].message == "link cards: on, 0 posts wait for one"
    assert report["web push"].message == "web push: on, 0 devices have something to get"


def test_the_disk_is_reported_while_the_store_is_down(tmp_path: Path) -> None:
    shown = CliRunner().invoke(main, ["doctor", "--data-dir", str(tmp_path)], env={"REDIS_URL": ""})
    assert shown.exit_code == 1
    assert re.search(rf"disk: .* free for {tmp_path}", shown.output)
    assert "Start it with: linnet run" in shown.output


def test_the_doctor_names_the_server_of_a_cluster_that_is_down(
    config: Config, db: Db, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_db: Db, *_command: object) -> None:
        raise store_down() from ConnectionError("Error 111 connecting to 127.0.0.1:7001.")

    monkeypatch.setattr(Db, "on_every_primary", refuse)
    with pytest.raises(StoreError) as stopped:
        list(doctor.report(config))
    assert "127.0.0.1:7001" in str(stopped.value)
    remedy = "Check REDIS_URL" if db.is_single_server else "Start this server of the Cluster again"
    assert remedy in str(stopped.value)
    monkeypatch.undo()


@pytest.mark.parametrize("option", ["--top=-1", "--pause=-1", "--members=-1"])
def test_numbers_that_cannot_be_used_are_refused(option: str) -> None:
    shown = CliRunner().invoke(main, ["doctor", "--keys", option])
    assert shown.exit_code == 2 and "Invalid value" in shown.output


def test_a_store_that_may_lose_data_is_not_healthy(db: Db, config: Config) -> None:
    for option, value, line in (
        ("maxmemory-policy", "allkeys-lru", "memory"),
        ("appendonly", "no", "persistence"),
    ):
        db.on_every_primary("CONFIG", "SET", option, value)
        finding = findings(config)[line]
        assert not finding.ok and "CONFIG SET" in finding.remedy
    db.on_every_primary("CONFIG", "SET", "maxmemory-policy", "noeviction")


def test_a_default_user_whose_transactions_a_restart_would_skip_is_reported(
    db: Db, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert findings(config)["store user default"].ok
    db.on_every_primary("ACL", "SETUSER", "default", "-set")
    finding = findings(config)["store user default"]
    db.on_every_primary("ACL", "SETUSER", "default", "+@all")
    assert not finding.ok and "ACL SETUSER default off ~* &* +@all" in finding.remedy
    monkeypatch.setattr(db, "on_every_primary", lambda *command: [NoPermissionError("acl|dryrun")])
    assert surroundings.default_user_finding(db).message == "store user default: unknown"


def test_memory_near_its_limit_is_reported(db: Db, config: Config) -> None:
    assert findings(config)["maxmemory"].message == "maxmemory: no limit"
    for limit, is_ok in (("1gb", True), ("1mb", False)):
        db.on_every_primary("CONFIG", "SET", "maxmemory", limit)
        finding = findings(config)["maxmemory"]
        assert finding.ok is is_ok and "% of 1.00" in finding.message
    db.on_every_primary("CONFIG", "SET", "maxmemory", "0")


def test_a_replica_that_is_too_deep_or_cut_off_is_reported() -> None:
    info = {"rdb_last_save_time": 0, "master_link_status": "up", "aof_enabled": 1}
    for depth, link, is_ok in ((2, "up", True), (3, "up", False), (1, "down", False)):
        state = ReplicaState("10.0.0.1:6379", depth, info | {"master_link_status": link})
        assert store_findings._replica_finding(state, must_sync=True).ok is is_ok


def test_a_contact_page_that_names_nobody_is_reported(settings: Config, tmp_path: Path) -> None:
    config = replace(settings, data_dir=tmp_path)
    finding = findings(config)["contact page"]
    assert not finding.ok and f"{tmp_path}/pages/en/contact.md" in finding.remedy
    page = tmp_path / "pages" / "zh" / "contact.md"
    page.parent.mkdir(parents=True)
    for empty in (" \n", "# 联系\n \n"):
        page.write_text(empty)
        assert not findings(config)["contact page"].ok
    page.write_text("# 联系\n\nowl@linnet.example")
    assert findings(config)["contact page"].ok


def test_a_full_disk_is_reported(
    tmp_path: Path, settings: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = embedded_store.start(tmp_path)
    config = replace(settings, redis_url="", data_dir=tmp_path)
    free = {"total": 10**9, "used": 0}
    for megabytes, is_ok in ((255, False), (257, True)):
        usage = SimpleNamespace(**free, free=megabytes * 1024 * 1024)
        monkeypatch.setattr(shutil, "disk_usage", lambda _, usage=usage: usage)
        finding = findings(config)["disk"]
        assert finding.ok is is_ok and f"{megabytes} MB free" in finding.message
        assert "nothing is saved" in finding.remedy
    DiskWatch(tmp_path).note_low()
    assert "low since" not in findings(config)["disk"].message
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(**free, free=10**8))
    DiskWatch(tmp_path).note_low()
    assert re.search(r"the store has \d+ MB, .*; low since 2", findings(config)["disk"].message)
    embedded_store.stop(process)
    assert "disk" not in findings(settings)


def test_too_little_room_for_pictures_is_reported(
    settings: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.media_path.mkdir(parents=True)
    (settings.media_path / "picture").write_bytes(bytes(3 * 1024 * 1024))
    for megabytes, is_ok in ((255, False), (257, True)):
        usage = SimpleNamespace(total=10**9, used=0, free=megabytes * 1024 * 1024)
        monkeypatch.setattr(shutil, "disk_usage", lambda _, usage=usage: usage)
        finding = findings(settings)["pictures"]
        assert finding.ok is is_ok and f": 3 MB, {megabytes} MB free" in finding.message


def test_pictures_that_other_users_may_read_are_reported(db: Db, config: Config) -> None:
    config.media_path.mkdir(mode=0o700, parents=True, exist_ok=True)
    for mode, is_private in ((0o700, True), (0o750, False)):
        config.media_path.chmod(mode)
        finding = findings(config)["folders"]
        assert finding.ok is is_private
    assert finding.remedy == f"Run: chmod -R go= {config.media_path}"


def test_an_interrupted_rebuild_of_the_search_index_is_reported(site: Site) -> None:
    assert findings(site.config)["search"].ok
    rebuilding.begin(site)
    finding = findings(site.config)["search"]
    assert not finding.ok and "linnet upgrade search" in finding.remedy
    run_upgrade(site, "search")
    assert findings(site.config)["search"].ok
    assert not findings(replace(site.config, search_shards=2))["search"].ok


def test_posts_that_are_dated_ahead_are_reported(db: Db, config: Config) -> None:
    assert findings(config)["clocks"].ok
    ahead = first_id_at(round(time.time() * 1000) + 360_000)
    db.run(("SET", status_keys.last_status_id(3), ahead + 3))
    finding = findings(config)["clocks"]
    assert not finding.ok and "the last post of 1 partitions" in finding.message
    db.run(("DEL", status_keys.last_status_id(3)))
    db.run(("ZADD", timeline_keys.public_timeline(), ahead, f"{ahead}:3"))
    finding = findings(config)["clocks"]
    assert not finding.ok and "dated ahead: 1 public posts" in finding.message
    db.run(("DEL", timeline_keys.public_timeline()))
    db.run(("SET", status_keys.last_status_id(3), ahead - 120_000 * 4096))
    assert findings(config)["clocks"].ok, "servers may differ by minutes"


@pytest.mark.parametrize("mode", ["maintenance", "read_only"])
def test_a_site_that_is_closed_is_reported_and_its_jobs_may_rest(site: Site, mode: str) -> None:
    assert findings(site.config)["site"].message == "site: open"
    site.db.run(("HSET", event_keys.scheduled_runs(), "trends", "1 1"))
    assert not findings(site.config)["scheduled rows"].ok
    report = findings(replace(site.config, **{mode: True}))
    assert not report["site"].ok and f"linnet config set {mode} no" in report["site"].remedy
    assert report["scheduled rows"].ok


def test_full_outboxes_missing_workers_and_parked_events_are_reported(world: World) -> None:
    [ann] = world.people("ann")
    small = with_settings(world, outbox_max=3)
    report = findings(small.config)
    assert not report["leases"].ok and report["outbox"].ok and report["parked events"].ok
    post(small, ann, "a", "b")
    assert not findings(small.config)["outbox"].ok
    parked = event_keys.parked_events(ann % PARTITIONS)
    world.db.run(("XADD", parked, "*", "group", "fanout", "type", "posted"))
    assert "linnet retry" in findings(small.config)["parked events"].remedy
    for group in GROUPS:
        Leases(world, group, "one").rebalance()
    assert findings(small.config)["leases"].ok


@pytest.mark.parametrize(("key", "is_ok"), [("", True), ("changeme", False), ("k" * 32, True)])
def test_a_secret_key_that_can_be_guessed_is_reported(key: str, is_ok: bool) -> None:
    finding = surroundings.secret_key_finding(Config(secret_key=key))
    assert finding.ok == is_ok and "SECRET_KEY_PREVIOUS" in finding.remedy
    assert not key or key not in finding.message


def test_a_replica_that_is_only_connecting_counts_for_nothing_yet() -> None:
    info = {
        "connected_slaves": "2",  # the other is connecting
        "slave0": "ip=10.0.0.2,port=6379,state=online,offset=5,lag=1",
    }
    finding = store_findings._replication_finding(info, "1", 1)
    assert finding.ok and finding.message.startswith("replication: 1 replica(s), the slowest 1 s")
    missing = store_findings._replication_finding(info, "1", 2)
    assert not missing.ok and missing.remedy.startswith("Start its replicas again")
    alone = store_findings._replication_finding({}, "1", 0)
    assert not alone.ok and alone.remedy == missing.remedy and "takes no writes" in alone.remedy
    unsafe = store_findings._replication_finding(info, "0", 1)
    assert not unsafe.ok and unsafe.remedy.startswith("Set WRITE_REPLICAS=1")


def test_mails_that_were_given_up_are_reported_for_a_day(world: World) -> None:
    mailing, day_ms = with_settings(world, mail_folder="mails"), 86_400_000
    for ago, is_ok in ((2 * day_ms, True), (0, False)):
        at = int(time.time() * 1000) - ago
        entry = {"mail": "1a", "uid": 7, "error": "refused: [550]", "at": at}
        world.db.run(("LPUSH", mail_keys.parked_mails(7), json.dumps(entry)))
        finding = findings(mailing.config)["mails"]
        assert finding.ok == is_ok and ("uid 7: refused: [550]" in finding.message) != is_ok


@pytest.mark.parametrize(
    "line",
    [
        "store",
        "memory",
        "maxmemory",
        "contact page",
        "persistence",
        "scripts",
        "folders",
        "outbox",
        "bulk",
        "leases",
        "parked events",
    ],
)
def test_every_finding_has_a_remedy(settings: Config, line: str) -> None:
    assert findings(settings)[line].remedy


@pytest.mark.parametrize(
    ("site_url", "proxies", "open_to", "is_ok"),
    [
        ("https://linnet.example", 0, (), False),
        ("https://linnet.example", 1, (), True),
        ("https://linnet.example", 1, ("linnet.example",), False),
        ("http://linnet.example", 0, ("localhost",), False),
        ("http://linnet.example", 0, ("elsewhere.example",), True),
    ],
)
def test_a_proxy_that_does_not_say_who_asks_is_reported(
    settings: Config,
    monkeypatch: pytest.MonkeyPatch,
    site_url: str,
    proxies: int,
    open_to: tuple[str, ...],
    is_ok: bool,
) -> None:
    def get(url: str, headers: dict[str, str], *_: object) -> safe_http.Response:
        assert url == f"{site_url}/metrics"
        is_open = headers.get("Host", "linnet.example") in open_to
        figures = b"# TYPE linnet_http_requests_total counter\n"
        return safe_http.Response(200, "text/plain", figures if is_open else b"")

    monkeypatch.setattr(safe_http, "get", get)
    config = replace(settings, site_url=site_url, trusted_proxies=proxies)
    assert surroundings.proxy_finding(config).ok is is_ok


def test_a_proxy_that_hides_https_is_reported(
    settings: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    def get(url: str, *_: object) -> safe_http.Response:
        answer = client.get(urlsplit(url).path, headers={"X-Forwarded-Proto": "http"})
        return safe_http.Response(answer.status_code, "", b"", location=answer.location or "")

    monkeypatch.setattr(safe_http, "get", get)
    config = replace(settings, site_url="https://linnet.example/", trusted_proxies=1)
    with serving(config) as app:
        client = app.test_client()
        finding = surroundings.proxy_finding(config)
    assert not finding.ok and "X-Forwarded-Proto" in finding.message and finding.remedy


def test_an_address_that_does_not_answer_is_not_judged(settings: Config) -> None:
    config = replace(settings, site_url="http://127.0.0.1:1")
    assert "not checked (not_public)" in surroundings.proxy_finding(config).message


@pytest.mark.parametrize(
    ("state", "is_ok", "words"), [(0, True, "yes"), (5, False, "no"), (-1, True, "unknown")]
)
def test_a_clock_that_nothing_sets_is_reported(
    monkeypatch: pytest.MonkeyPatch, state: int, is_ok: bool, words: str
) -> None:
    kernel = SimpleNamespace(adjtimex=lambda timex: state)
    monkeypatch.setattr(surroundings.ctypes, "CDLL", lambda name: kernel)
    finding = surroundings.clock_finding()
    assert finding.ok is is_ok and finding.message.endswith(f": {words}")


@pytest.mark.parametrize(
    ("url", "is_ok"),
    [
        ("redis://10.0.0.1:6379", False),
        ("rediss://10.0.0.1:6379", False),
        ("redis://:secret@10.0.0.1:6379", True),
        ("unix:///run/valkey.sock", True),
    ],
)
def test_a_store_without_a_password_is_reported(settings: Config, url: str, is_ok: bool) -> None:
    clock, _key, store = surroundings.findings(replace(settings, redis_url=url))
    assert store.ok is is_ok and store.message.startswith("store password: ")
    assert clock.message.startswith("clock: ")
    assert len(list(surroundings.findings(replace(settings, redis_url="")))) == 2


def test_staff_without_a_second_factor_are_named(world: World) -> None:
    ann, ben, *_ = world.people("ann", "ben", "cid", "dot")
    assert doctor.staff_finding(world).ok
    for uid, right in ((ann, "admin"), (ben, "moderator")):
        lifecycle.grant(world.db, uid, right)
    finding = doctor.staff_finding(world)
    assert not finding.ok and finding.message.endswith("factor: 2 (@ann @ben)")
    world.db.run(("HSET", account_keys.user(ann), "second_step", 1))
    assert doctor.staff_finding(world).message.endswith("factor: 1 (@ben)")
    world.db.run(("HSET", passkeys(ben), "key", "{}"))
    assert doctor.staff_finding(world).ok
