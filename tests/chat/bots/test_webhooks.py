"""Bots are told of messages: signed, at least once and in order, in spite of whatever fails; never where they should
not be.
"""

from __future__ import annotations

import datetime
import hashlib
import hmac
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.support import chat
from tests.support.processes import Site, until
from tests.support.webhook_receiver import Receiver, drip, receiving, status
from webapp.accounts import lifecycle, registration
from webapp.accounts.tokens import keys as token_keys
from webapp.chat import keys as chat_keys
from webapp.chat.bots import deliveries, webhook_delivery, webhook_worker, webhooks
from webapp.chat.bots import keys as bot_keys
from webapp.chat.bots import store as bots
from webapp.chat.ids import direct_id
from webapp.chat.members import membership
from webapp.chat.messages import sending
from webapp.config import Config
from webapp.core.events.outbox import Context, Event
from webapp.core.net import safe_http
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of

People = Callable[..., list[int]]
Settle = Callable[[], None]
HOME = "127.0.0.1"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """Somebody who listens."""
    with receiving() as found:
        yield found


@pytest.fixture
def open_config(config: Config) -> Config:
    """Settings that let webhooks lead to this machine."""
    return replace(config, webhook_private=True)


class Scene:
    """Ann owns a bot, Ben writes to it, and both are in a group with it."""

    def __init__(self, db: Db, config: Config, people: People, settle: Settle, url: str) -> None:
        self.db, self.config, self.settle = db, config, settle
        self.ann, self.ben = people("ann", "ben")
        self.bot = bots.create_bot(db, config, self.ann, "jay", "Jay").uid
        self.secret = webhooks.set_webhook(db, config, self.bot, url)
        self.group = chat.group(db, config, self.ann, [self.ben, self.bot])
        settle()

    def say(self, *texts: str, uid: int = 0, cid: str = "") -> list[int]:
        """Messages, by Ben to the group unless told otherwise; all that follows is applied."""
        ids = chat.say(self.db, self.config, uid or self.ben, cid or self.group, *texts)
        self.settle()
        return ids

    def deliver(self, config: Config | None = None) -> int:
        """Makes the requests that are due."""
        return webhook_worker.deliver_due(self.db, config or self.config)

    def hurry(self) -> None:
        """Lets everything that waits be due, as it would be after a long time."""
        waiting = self.db.run(("ZRANGE", bot_keys.webhook_queue(self.bot), 0, -1))
        for place, one in enumerate(waiting):
            self.db.run(("ZADD", bot_keys.webhook_queue(self.bot), place, one))
        if waiting:
            self.db.run(("ZADD", bot_keys.due_webhooks(partition_of(self.bot)), 0, self.bot))

    @property
    def hook(self) -> webhooks.Webhook:
        """How the bot's webhook stands."""
        found = self.db.read(webhooks.get_webhook(self.bot))
        assert found
        return found


@pytest.fixture
def scene(db: Db, open_config: Config, people: People, settle: Settle, receiver: Receiver) -> Scene:
    """The scene, told to the receiver."""
    return Scene(db, open_config, people, settle, f"{receiver.url}/hook?from=linnet")


def test_a_bot_is_told_of_what_mentions_it_in_words_that_can_be_checked(
    scene: Scene, receiver: Receiver
) -> None:
    (number,) = scene.say("hello @JAY 麻雀")
    assert scene.deliver() == 1
    (got,) = receiver.got
    timestamp = got.headers["x-linnet-timestamp"]
    mac = hmac.new(scene.secret.encode(), f"{timestamp}.".encode() + got.body, hashlib.sha256)
    assert got.headers["x-linnet-signature"] == f"sha256={mac.hexdigest()}"
    assert got.path == "/hook?from=linnet" and got.headers["content-type"] == "application/json"
    assert got.data["delivery"] == got.headers["x-linnet-delivery"]
    assert got.data["event"] == "message" and got.data["bot"] == {"id": scene.bot, "login": "jay"}
    assert got.data["chat"]["id"] == scene.group and got.data["chat"]["name"] == "Larks"
    message = got.data["message"]
    assert message["id"] == number and message["text"] == "hello @JAY 麻雀"
    assert message["by"] == {"id": scene.ben, "login": "ben", "name": "Ben", "bot": False}
    assert scene.hook.last_delivered and not scene.hook.waiting and not scene.hook.failures
    assert scene.deliver() == 0


def test_a_bot_is_told_of_what_is_sent_to_it_alone(scene: Scene, receiver: Receiver) -> None:
    cid = direct_id(scene.ben, scene.bot)
    scene.say("one", "two", cid=cid)
    scene.deliver()
    assert [(got.data["chat"]["kind"], got.data["message"]["text"]) for got in receiver.got] == [
        ("direct", "one"),
        ("direct", "two"),
    ]


def test_a_bot_is_told_of_nothing_else(scene: Scene, receiver: Receiver, people: People) -> None:
    (cid,) = people("cid")
    elsewhere = chat.group(scene.db, scene.config, cid)
    scene.settle()
    scene.say("nobody named", "@ben only", "not@jay")
    scene.say("@jay is not here", uid=cid, cid=elsewhere)
    scene.say("I am @jay myself", uid=scene.bot)
    other = bots.create_bot(scene.db, scene.config, scene.ann, "crow", "Crow").uid
    membership.add(scene.db, scene.config, scene.ann, scene.group, [other])
    scene.settle()
    scene.say("@jay, I am a bot too", uid=other)
    assert scene.deliver() == 0 and not receiver.got


def test_an_event_that_is_applied_again_is_told_once(scene: Scene, receiver: Receiver) -> None:
    (number,) = scene.say("hello @jay")
    delivery = scene.db.run(("ZRANGE", bot_keys.webhook_queue(scene.bot), 0, 0))[0]
    p, _, oid = delivery.partition("-")
    data = {"chat": scene.group, "id": str(number), "by": str(scene.ben), "at": "1"}
    event = Event(oid, int(p), "fanout", 1_000_000, "chatted", "-", data)
    context = Context(scene.db, scene.config, lambda: None)
    webhooks.queue_deliveries(context, [event])
    assert scene.hook.waiting == 1 and scene.deliver() == 1
    webhooks.queue_deliveries(context, [event, event])
    assert scene.deliver() == 0 and len(receiver.got) == 1


def test_what_fails_is_tried_again_later_each_time_and_given_up_in_the_end(
    scene: Scene, receiver: Receiver
) -> None:
    receiver.answers = [status(500)]
    (number,) = scene.say("hello @jay")
    delays = []
    while scene.deliver():
        assert scene.deliver() == 0, "tried again at once"
        due = scene.db.run(("ZRANGE", bot_keys.webhook_queue(scene.bot), 0, 0, "WITHSCORES"))
        seconds, micros = scene.db.on_every_primary("TIME")[0]
        delays.append((float(due[1]) / 1000 - int(seconds) - int(micros) / 1e6) if due else None)
        assert scene.hook.failures == len(delays) and scene.hook.last_error == "answer 500"
        scene.hurry()
    assert delays[-1] is None and len(delays) == 8
    wanted = [*webhook_delivery.RETRY_DELAYS]
    assert all(later and 0 < later <= want for later, want in zip(delays[:-1], wanted, strict=True))
    assert (
        len({got.headers["x-linnet-delivery"] for got in receiver.got}) == 1
        and len(receiver.got) == 8
    )
    (given_up,) = scene.hook.undelivered
    assert (given_up.cid, given_up.message_id, given_up.tries) == (scene.group, number, 8)
    assert not scene.hook.waiting and not scene.db.run(
        ("EXISTS", bot_keys.webhook_payloads(scene.bot))
    )


def test_a_bot_that_failed_is_left_in_peace_and_then_told_in_order(
    scene: Scene, receiver: Receiver
) -> None:
    receiver.answers = [status(503), status(204)]
    scene.say("@jay one", "@jay two", "@jay three")
    assert scene.deliver() == 1  # the others wait as well
    scene.say("@jay four")
    assert scene.deliver() == 0 and scene.hook.waiting == 4
    scene.hurry()
    assert scene.deliver() == 4 and not scene.hook.failures
    texts = [got.data["message"]["text"] for got in receiver.got]
    assert sorted(texts) == sorted(["@jay one", "@jay one", "@jay two", "@jay three", "@jay four"])


def test_a_redirect_is_a_failure_and_is_not_followed(scene: Scene, receiver: Receiver) -> None:
    receiver.answers = [status(302, Location=f"{receiver.url}/elsewhere")]
    scene.say("hello @jay")
    scene.deliver()
    assert [got.path for got in receiver.got] == [
        "/hook?from=linnet"
    ] and scene.hook.last_error == "answer 302"


HIDDEN = [
    "http://127.0.0.1:{port}/",
    "http://127.1:{port}/",
    "http://2130706433:{port}/",
    "http://0x7f000001:{port}/",
    "http://localhost:{port}/",
    "http://loopback.example:{port}/",  # a name that leads to 127.0.0.1
    "http://both.example:{port}/",  # one that leads there too
    "http://[::1]:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/",
    "http://[::ffff:7f00:1]:{port}/",
    "http://[64:ff9b::7f00:1]:{port}/",
    "http://[2002:7f00:1::]:{port}/",
    "http://[fe80::1]:{port}/",
    "http://[fc00::1]:{port}/",
    "http://0.0.0.0:{port}/",
    "http://[::]:{port}/",
    "http://169.254.169.254/latest/meta-data/",
    "http://10.0.0.1/",
    "http://192.168.0.1/",
    "http://172.16.0.1/",
    "http://100.64.0.1/",
    "http://224.0.0.1/",
    "http://[ff02::1]/",
    "http://255.255.255.255/",
]


@pytest.mark.parametrize("url", HIDDEN)
def test_nobody_is_told_anything_at_an_address_that_is_not_public(
    url: str, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {"loopback.example": [HOME], "both.example": ["10.0.0.1", HOME]}
    monkeypatch.setattr(socket, "getaddrinfo", resolving(names))
    connected: list[object] = []
    monkeypatch.setattr(safe_http.HTTPConnection, "connect", lambda self: connected.append(self))
    with pytest.raises(safe_http.RequestFailed, match="not_public"):
        safe_http.post(url.format(port=receiver.url.rpartition(":")[2]), b"{}", {}, False, 5)
    assert not receiver.got and not connected


def test_without_leave_a_webhook_reaches_nothing_on_this_machine(
    scene: Scene, receiver: Receiver
) -> None:
    scene.say("hello @jay")
    scene.deliver(replace(scene.config, webhook_private=False))
    assert not receiver.got and scene.hook.last_error == "not_public"
    scene.hurry()
    scene.deliver()
    assert len(receiver.got) == 1


def resolving(names: dict[str, list[str]], asked: list[str] | None = None) -> Any:
    """The system's resolver, with some names that it does not know."""
    real = socket.getaddrinfo

    def getaddrinfo(host: Any, port: Any, *args: Any, **kwargs: Any) -> Any:
        if asked is not None:
            asked.append(host)
        if host in names:
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port)) for one in names[host]]
        return real(host, port, *args, **kwargs)

    return getaddrinfo


def test_the_name_is_resolved_once_and_the_address_that_was_looked_at_is_the_one_that_is_asked(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(socket, "getaddrinfo", resolving({"bird.example": [HOME]}, asked))
    port = receiver.url.rpartition(":")[2]
    assert safe_http.post(f"http://bird.example:{port}/x", b"{}", {}, True, 5) == 200
    assert (
        asked.count("bird.example") == 1
        and receiver.got[0].headers["host"] == f"bird.example:{port}"
    )


def test_an_address_in_any_script_is_asked_for_as_browsers_do(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", resolving({"麻雀.example": [HOME]}))
    port = receiver.url.rpartition(":")[2]
    assert (
        safe_http.post(f"http://麻雀.example:{port}/钩?a=%20b&c=é#part", b"{}", {}, True, 5) == 200
    )
    (got,) = receiver.got
    assert (
        got.path == "/%E9%92%A9?a=%20b&c=%C3%A9"
        and got.headers["host"] == f"xn--8n5a30n.example:{port}"
    )


def certificate(folder: Path, name: str) -> tuple[Path, ssl.SSLContext]:
    """A certificate for a name, and what a server of it needs."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / f"{name}.pem"
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private = folder / f"{name}.key"
    encoding = (
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    private.write_bytes(key.private_bytes(*encoding))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path, private)
    return path, context


def test_tls_asks_for_the_name_and_believes_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {"bird.example": [HOME], "cat.example": [HOME]}
    monkeypatch.setattr(socket, "getaddrinfo", resolving(names))
    path, context = certificate(tmp_path, "bird.example")
    wanted: list[str] = []
    context.sni_callback = lambda sock, name, ctx: wanted.append(name)  # type: ignore[assignment,arg-type]
    with receiving(context) as receiver:
        port = receiver.url.rpartition(":")[2]
        with pytest.raises(safe_http.RequestFailed, match="no_answer"):  # signed by nobody we know
            safe_http.post(f"https://bird.example:{port}/", b"{}", {}, True, 5)
        monkeypatch.setenv("SSL_CERT_FILE", str(path))
        assert safe_http.post(f"https://bird.example:{port}/", b"{}", {}, True, 5) == 200
        with pytest.raises(safe_http.RequestFailed, match="no_answer"):
            safe_http.post(f"https://cat.example:{port}/", b"{}", {}, True, 5)
        assert len(receiver.got) == 1 and wanted == ["bird.example", "bird.example", "cat.example"]


@pytest.mark.parametrize("private", [True, False])
def test_what_leads_nowhere_is_a_failure_in_words(
    private: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for url in (
        "ftp://a.example/",
        "http://",
        "http://wren:pw@a.example/",
        "http://a.example:0/",
        "http://[::1",
    ):
        with pytest.raises(safe_http.RequestFailed, match="bad_address"):
            safe_http.post(url, b"{}", {}, private, 5)

    def fails(*args: Any, **kwargs: Any) -> Any:
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", fails)
    with pytest.raises(safe_http.RequestFailed, match="no_host"):
        safe_http.post("http://nowhere.example/", b"{}", {}, private, 5)


def test_an_answer_that_never_ends_is_cut(receiver: Receiver) -> None:
    receiver.answers = [drip]
    with pytest.raises(safe_http.RequestFailed, match="late"):
        safe_http.post(receiver.url, b"{}", {}, True, 0.5)


def test_an_answer_that_never_begins_is_cut() -> None:
    with (
        socket.create_server((HOME, 0)) as silent,
        pytest.raises(safe_http.RequestFailed, match="late"),
    ):
        safe_http.post(f"http://{HOME}:{silent.getsockname()[1]}/", b"{}", {}, True, 0.2)


def test_a_large_answer_is_read_in_part_only(receiver: Receiver) -> None:
    sent: list[int] = []

    def large(handler: Any) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(1 << 30))
        handler.end_headers()
        try:
            while True:
                sent.append(handler.wfile.write(b"x" * 65_536))
        except OSError:
            handler.close_connection = True

    receiver.answers = [large]
    assert safe_http.post(receiver.url, b"{}", {}, True, 30) == 200
    assert sum(sent) < 1 << 28


def test_what_a_dead_worker_had_claimed_is_claimed_again_under_the_same_id(
    scene: Scene, receiver: Receiver
) -> None:
    scene.say("hello @jay")
    p = partition_of(scene.bot)
    (claimed,) = deliveries.claim(scene.db, p, 5)
    assert deliveries.claim(scene.db, p, 5) == [] and scene.deliver() == 0
    scene.say("@jay another")
    assert scene.deliver() == 0  # one at a time
    scene.hurry()
    (again,) = deliveries.claim(scene.db, p, 5)
    assert again.id == claimed.id and again.lease_expires != claimed.lease_expires
    receiver.answers = [status(500), status(200)]
    webhook_delivery.deliver(
        scene.db, scene.config, claimed
    )  # the first was only slow, and has nothing to say any more
    assert scene.hook.waiting == 2 and not scene.hook.failures
    assert scene.db.run(("ZSCORE", bot_keys.due_webhooks(p), scene.bot)) == again.lease_expires
    assert scene.db.run(("ZSCORE", bot_keys.webhook_queue(scene.bot), again.id)) == "0"
    webhook_delivery.deliver(scene.db, scene.config, again)
    assert scene.deliver() == 1 and not scene.hook.waiting
    ids = [got.data["delivery"] for got in receiver.got]
    assert ids[0] == ids[1] != ids[2]
    receiver.answers = [status(500)]
    webhook_delivery.deliver(
        scene.db, scene.config, claimed
    )  # and can bring back nothing that was done
    assert not scene.hook.waiting and scene.deliver() == 0


def test_what_comes_new_does_not_wait_for_what_failed_long_before(
    scene: Scene, receiver: Receiver
) -> None:
    receiver.answers = [status(500)]
    scene.say("@jay old")
    for _ in range(5):
        scene.deliver()
        scene.hurry()
    scene.deliver()  # the next try is an hour away
    scene.db.run(("HSET", bot_keys.webhook(scene.bot), "until", 0))  # the pause is over
    receiver.answers = [status(200)]
    scene.say("@jay new")
    assert scene.deliver() == 1 and receiver.got[-1].data["message"]["text"] == "@jay new"
    assert scene.hook.waiting == 1


def test_what_is_gone_when_it_would_be_told_is_not_told(scene: Scene, receiver: Receiver) -> None:
    (number,) = scene.say("secret @jay")
    sending.delete(scene.db, scene.config, scene.ben, scene.group, number)
    scene.settle()
    assert scene.deliver() == 1 and not receiver.got and not scene.hook.waiting
    scene.say("@jay come back")
    membership.remove(scene.db, scene.config, scene.ann, scene.group, scene.bot)
    scene.settle()
    assert scene.deliver() == 1 and not receiver.got and not scene.hook.undelivered


@pytest.mark.parametrize("whose", ["owner", "bot"])
def test_a_suspended_owner_or_bot_is_told_nothing(
    whose: str, scene: Scene, receiver: Receiver
) -> None:
    scene.say("hello @jay")
    lifecycle.suspend(scene.db, scene.config, scene.ann if whose == "owner" else scene.bot)
    scene.settle()
    scene.deliver()
    assert not receiver.got


@pytest.mark.parametrize("whose", ["owner", "bot"])
def test_a_deleted_bot_leaves_nothing(whose: str, scene: Scene, receiver: Receiver) -> None:
    receiver.answers = [status(500)]
    scene.say("hello @jay")
    scene.deliver()
    if whose == "owner":
        lifecycle.delete_account(scene.db, scene.config, scene.ann, None)
    else:
        bots.remove(scene.db, scene.config, scene.ann, "jay")
    scene.settle()
    bot = scene.bot
    left = (
        bot_keys.webhook,
        bot_keys.webhook_queue,
        bot_keys.webhook_payloads,
        bot_keys.webhook_failures,
        token_keys.tokens,
        chat_keys.member_chats,
    )
    assert scene.db.trip(*(("EXISTS", build(bot)) for build in left)) == [0] * len(left)
    assert scene.db.run(("ZSCORE", bot_keys.due_webhooks(partition_of(bot)), bot)) is None
    assert scene.db.run(("ZSCORE", chat_keys.chat_members(scene.group), bot)) is None
    if whose == "bot":
        scene.say("@jay are you there?")
    assert scene.deliver() == 0 and len(receiver.got) == 1


def test_a_webhook_that_is_taken_away_drops_what_waited(scene: Scene, receiver: Receiver) -> None:
    scene.say("hello @jay")
    webhooks.remove_webhook(scene.db, scene.bot)
    scene.say("and @jay again")
    assert (
        scene.db.read(webhooks.get_webhook(scene.bot)) is None
        and scene.deliver() == 0
        and not receiver.got
    )


def test_more_than_a_bot_may_wait_for_is_given_up_and_shown(
    db: Db, open_config: Config, people: People, receiver: Receiver
) -> None:
    from tests.support import worker

    few = replace(open_config, webhook_waiting=2)
    scene = Scene(db, few, people, lambda: worker.drain(db, few), receiver.url)
    scene.say(
        "@jay 1",
        "@jay 2",
        "@jay 3",
        *(f"@jay {n}" for n in range(4, 4 + deliveries.UNDELIVERED_MAX + 5)),
    )
    hook = scene.hook
    assert hook.waiting == 2 and len(hook.undelivered) == deliveries.UNDELIVERED_MAX
    assert {one.error for one in hook.undelivered} == {deliveries.TOO_MANY}
    assert hook.undelivered[0].message_id > hook.undelivered[1].message_id


def test_a_secret_that_cannot_be_read_any_more_is_said_and_nothing_is_sent(
    scene: Scene, receiver: Receiver
) -> None:
    scene.say("hello @jay")
    scene.deliver(replace(scene.config, secret_key="another"))
    assert not receiver.got and scene.hook.undelivered[0].error == "no_secret"
    sealed = scene.db.run(("HGET", bot_keys.webhook(scene.bot), "secret"))
    assert scene.secret not in sealed


def test_what_is_old_is_given_up_at_its_next_failure(scene: Scene, receiver: Receiver) -> None:
    receiver.answers = [status(500)]
    scene.say("hello @jay")
    (one,) = scene.db.run(("HKEYS", bot_keys.webhook_payloads(scene.bot)))
    facts = orjson.loads(scene.db.run(("HGET", bot_keys.webhook_payloads(scene.bot), one)))
    facts["at"] -= (webhook_delivery.AGE_MAX_SECONDS + 1) * 1000
    scene.db.run(("HSET", bot_keys.webhook_payloads(scene.bot), one, orjson.dumps(facts).decode()))
    scene.deliver()
    assert len(receiver.got) == 1 and scene.hook.undelivered and not scene.hook.waiting


def test_a_slow_receiver_holds_up_its_own_bot_alone(
    scene: Scene, receiver: Receiver, db: Db, open_config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = threading.Event()

    def slow(handler: Any) -> None:
        release.wait(60)
        status(200)(handler)

    receiver.answers = [slow]
    other = bots.create_bot(db, open_config, scene.ann, "crow", "Crow").uid
    membership.add(db, open_config, scene.ann, scene.group, [other])
    monkeypatch.setattr(webhook_delivery, "TIMEOUT_SECONDS", 60.0)
    stop = threading.Event()
    with receiving() as quick:
        webhooks.set_webhook(db, open_config, other, quick.url)
        scene.say("@jay one", "@jay two", "@jay three")
        thread = threading.Thread(
            target=webhook_worker.Deliverer(db, open_config).run, args=(stop,)
        )
        thread.start()
        try:
            until(lambda: receiver.got)
            scene.say("@crow one", "@crow two")
            until(lambda: len(quick.got) == 2)
            assert len(receiver.got) == 1  # one at a time
            release.set()
            until(lambda: len(receiver.got) == 3 and not scene.hook.waiting)
        finally:
            release.set()
            stop.set()
            thread.join()


def test_a_worker_makes_a_few_requests_at_once_and_no_more(
    scene: Scene, db: Db, open_config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhook_worker, "REQUESTS_MAX", 2)
    monkeypatch.setattr(webhook_worker, "REQUESTS_PER_OWNER", 9)
    monkeypatch.setattr(webhook_delivery, "TIMEOUT_SECONDS", 60.0)
    many = [bots.create_bot(db, open_config, scene.ann, f"bot{n}", "Bot").uid for n in range(5)]
    membership.add(db, open_config, scene.ann, scene.group, many)
    gate, at_once, most, lock = threading.Event(), 0, 0, threading.Lock()

    def answer(handler: Any) -> None:
        nonlocal at_once, most
        with lock:
            at_once += 1
            most = max(most, at_once)
        gate.wait(60)
        with lock:
            at_once -= 1
        status(200)(handler)

    stop = threading.Event()
    with receiving() as receiver:
        receiver.answers = [answer]
        for bot in many:
            webhooks.set_webhook(db, open_config, bot, receiver.url)
        scene.say("all of @bot0 @bot1 @bot2 @bot3 @bot4")
        thread = threading.Thread(
            target=webhook_worker.Deliverer(db, open_config).run, args=(stop,)
        )
        thread.start()
        try:
            until(lambda: at_once == 2)
            gate.set()
            until(lambda: len(receiver.got) == 5)
            assert most == 2
        finally:
            gate.set()
            stop.set()
            thread.join()


def test_one_members_slow_bots_leave_room_for_those_of_others(
    db: Db, open_config: Config, people: People, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhook_delivery, "TIMEOUT_SECONDS", 60.0)
    monkeypatch.setattr(webhook_worker, "REQUESTS_MAX", 3)
    ann, ben = people("ann", "ben")
    release, stop = threading.Event(), threading.Event()

    def slow(handler: Any) -> None:
        release.wait(60)
        status(200)(handler)

    with receiving() as held, receiving() as quick:
        held.answers = [slow]
        many = [bots.create_bot(db, open_config, ann, f"bot{n}", "Bot").uid for n in range(5)]
        crow = bots.create_bot(db, open_config, ben, "crow", "Crow").uid
        for bot in (*many, crow):
            webhooks.set_webhook(db, open_config, bot, (quick if bot == crow else held).url)
        cid = chat.group(db, open_config, ben, [*many, crow])
        chat.say(db, open_config, ben, cid, "all of @bot0 @bot1 @bot2 @bot3 @bot4")
        settle()
        thread = threading.Thread(
            target=webhook_worker.Deliverer(db, open_config).run, args=(stop,)
        )
        thread.start()
        try:
            until(lambda: len(held.got) == webhook_worker.REQUESTS_PER_OWNER)
            chat.say(db, open_config, ben, cid, "@crow one", "@crow two")
            settle()
            until(lambda: len(quick.got) == 2)
            assert len(held.got) == webhook_worker.REQUESTS_PER_OWNER
            release.set()
            until(lambda: len(held.got) == 5)
        finally:
            release.set()
            stop.set()
            thread.join()


def test_bots_whose_turn_it_is_not_keep_nobody_in_their_partition_waiting(
    scene: Scene, receiver: Receiver
) -> None:
    scene.say("hello @jay")
    p = partition_of(scene.bot)
    others = [str(scene.bot + n * 1_000_000) for n in range(1, 4)]
    names = [bot_keys.due_webhooks(p), bot_keys.webhook.prefix(p), bot_keys.webhook_queue.prefix(p)]
    for other in others:
        scene.db.run(("ZADD", names[0], 0, other))
        scene.db.run(("HSET", names[1] + other, "url", receiver.url, "secret", "x"))
        scene.db.run(("ZADD", names[2] + other, 0, "1-1"))
    claimed = deliveries.claim(scene.db, p, 1, others)
    assert [one.bot_uid for one in claimed] == [scene.bot]
    assert [str(one.bot_uid) for one in deliveries.claim(scene.db, p, 9, others[1:])] == others[:1]


def test_a_name_that_is_never_found_is_waited_for_no_longer_than_an_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stuck = threading.Event()

    def hangs(*args: Any, **kwargs: Any) -> Any:
        stuck.wait(60)
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", hangs)
    try:
        with pytest.raises(safe_http.RequestFailed, match="late"):
            safe_http.post("http://nowhere.example/", b"{}", {}, False, 0.1)
    finally:
        stuck.set()


@pytest.mark.kill
def test_a_worker_killed_in_the_middle_of_a_request_makes_it_again(tmp_path: Path) -> None:
    hold = threading.Event()

    def held(handler: Any) -> None:
        hold.wait(60)
        status(200)(handler)

    with receiving() as receiver:
        receiver.answers = [held, status(200)]
        site = Site(tmp_path, webhook_private=True)
        try:
            first = site.worker()
            scene = Scene(site.db, site.config, signed_up(site), site.until_drained, receiver.url)
            chat.say(site.db, site.config, scene.ben, scene.group, "hello @jay")
            until(lambda: receiver.got, lambda: first.said)
            first.kill()
            hold.set()
            assert scene.hook.waiting == 1
            scene.hurry()
            site.worker()
            until(lambda: scene.hook.last_delivered)
            assert (
                len(receiver.got) == 2 and len({got.data["delivery"] for got in receiver.got}) == 1
            )
        finally:
            hold.set()
            site.close()


def signed_up(site: Site) -> People:
    """Makes members of a site."""
    from tests.conftest import PASSWORD

    return lambda *names: [
        registration.sign_up(site.db, site.config, name, name.title(), PASSWORD).uid
        for name in names
    ]
