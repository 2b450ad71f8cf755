"""New passwords: those that are easy to guess are refused, with the reason, wherever one is set."""

from dataclasses import replace
from typing import Any

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from tests.conftest import PASSWORD, SignUp
from tests.support.concurrently import at_once
from tests.support.pages import serving
from webapp.accounts.passwords import strength
from webapp.accounts.passwords.strength import personal_words, weakness
from webapp.admin import member_commands
from webapp.config import Config, Rate

WORDS = personal_words("wren_song", "Jenny Wren", "https://birds.example")
WEAK = {
    "aaaaaaaa": "repeat",
    " " * 8: "repeat",
    "linnetlinnet": "repeat",
    "wrenwrenwren": "repeat",
    "wren_song": "personal",
    "WREN_SONG": "personal",
    "Jenny Wren": "personal",
    "jennywren": "personal",
    "linnet12": "personal",
    "wren_song@birds.example": "personal",
    "password": "passwords",
    "PassWord": "passwords",
    "qwertyuiop": "passwords",
    "iloveyou": "passwords",
    "football": "passwords",
    "michelle": "name",
    "alexander": "name",
    "president": "word",
    "abcdefgh": "sequence",
    "01.02.1999": "date",
    "Summer2025!": "year",
    "WINTER-1998": "year",
    "2024_October?": "year",
    "Linnet2026!!": "year",
    "WelcomeJenny25": "year",
    "春天夏天2025!": "year",
}
STRONG = (
    PASSWORD,
    "46839172",
    "another battery staple",
    "我喜欢在河边听小鸟唱歌",
    "kX9#vb2!",
    "summer 2025 lighthouse",
)
REASONS = {
    "aaaaaaaa": ("Repeated characters or words are easy to guess.", "重复的字符或词很容易被猜到"),
    " " * 8: ("Repeated characters or words are easy to guess.", "重复的字符或词很容易被猜到"),
    "linnetlinnet": ("Repeated characters or words are easy", "重复的字符或词很容易被猜到"),
    "wren_song": ("too close to your username", "与你的用户名"),
    "Jenny Wren": ("too close to your username", "与你的用户名"),
    "president": ("A single word is easy to guess.", "单个词很容易被猜到"),
}


@pytest.mark.parametrize(("password", "reason"), WEAK.items())
def test_a_password_that_is_easy_to_guess_has_a_reason(password: str, reason: str) -> None:
    assert weakness(password, WORDS) == reason


@pytest.mark.parametrize("password", STRONG)
def test_other_passwords_have_none(password: str) -> None:
    assert weakness(password, WORDS) is None


@pytest.mark.parametrize("password", ["@4({[<1!|70$5+%683920" * 50, "a1" * 500, "x" * 1_000, ""])
def test_only_a_bounded_part_of_a_password_is_estimated(
    password: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import zxcvbn

    estimated = list[str]()

    def record(part: str, *rest: object, **options: object) -> Any:
        estimated.append(part)
        return {"score": 4}

    monkeypatch.setattr(zxcvbn, "zxcvbn", record)
    assert weakness(password) is None
    [part] = estimated
    substitutes = strength.SUBSTITUTES.intersection(part)
    assert password.startswith(part) and len(part) <= 32 and len(substitutes) <= 8


def test_one_members_words_do_not_count_for_another() -> None:
    def check(number: int) -> tuple[str | None, str | None]:
        own, other = f"zyrqvk{number}", f"zyrqvk{number + 1}"
        words = personal_words(own, own, "")
        return weakness(own, words), weakness(f"{other} ptx", words)

    assert set(at_once(8, check, range(40))) == {("personal", None)}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("password", REASONS)
def test_signing_up_with_it_is_refused_in_words(
    client: FlaskClient, password: str, language: str
) -> None:
    form = {"login": "wren_song", "name": "Jenny Wren", "password": password}
    answer = client.post("/signup", data=form, headers={"Accept-Language": language})
    assert answer.status_code == 422
    assert REASONS[password][language == "zh"] in answer.text
    assert client.get("/@wren_song").status_code == 404


@pytest.mark.parametrize("password", ["aaaaaaaa", " " * 8, "wren_song", "linnetlinnet"])
def test_changing_to_it_is_refused_and_the_old_one_stays(member: SignUp, password: str) -> None:
    wren = member("wren_song")
    answer = wren.post("/settings/password", data={"old": PASSWORD, "new": password})
    assert answer.status_code == 422 and 'id="new-error"' in answer.text
    wren.post("/logout")
    form = {"login": "wren_song", "password": PASSWORD}
    assert wren.post("/login", data=form).status_code == 303


def test_a_password_that_was_accepted_before_still_opens_the_account(
    member: SignUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(strength, "SCORE_MIN", 0)
        wren = member("wren")
        wren.post("/settings/password", data={"old": PASSWORD, "new": "aaaaaaaa"})
    wren.post("/logout")
    form = {"login": "wren", "password": "aaaaaaaa"}
    assert wren.post("/login", data=form).status_code == 303


def test_the_operators_new_password_is_hard_to_guess(
    member: SignUp, settings: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    member("wren")
    monkeypatch.setenv("REDIS_URL", settings.redis_url)
    monkeypatch.setenv("SECRET_KEY", settings.secret_key)
    outcome = CliRunner().invoke(member_commands.member, ["reset-password", "wren"])
    assert outcome.exit_code == 0, outcome.output
    password = outcome.output.splitlines()[0].rpartition(" ")[2]
    assert weakness(password, personal_words("wren", "wren", "")) is None


def test_the_meter_of_a_new_password_says_what_its_form_would_say(
    settings: Config, member: SignUp, client: FlaskClient
) -> None:
    def grade(browser: FlaskClient, password: str, **form: str) -> tuple[int, str]:
        answer = browser.post("/password-strength", data={"password": password, **form})
        assert answer.status_code == 200 and answer.headers["Cache-Control"] == "no-store"
        assert answer.json
        return answer.json["score"], answer.json["sentence"]

    assert grade(client, "")[0] == 1 and "at least" in grade(client, "short")[1]
    assert grade(client, "x" * 129)[0] == 1 and grade(client, "password")[0] == 1
    expected = (1, "That’s too close to your username, your name or the name of this site.")
    assert grade(client, "jennywren", login="wren_song", name="Jenny Wren") == expected
    scores = [grade(client, text)[0] for text in ("tub-lamp-7", PASSWORD, PASSWORD * 2)]
    assert scores == sorted(scores) and min(scores) >= 2 and max(scores) == 4
    ann = member("heron_song")
    assert "too close" in grade(ann, "heron_song", login="x")[1], "the member's own names count"
    with serving(replace(settings, limit_search=Rate(2, 60))) as app:
        visitor = app.test_client()
        statuses = [visitor.post("/password-strength").status_code for _ in range(3)]
        assert statuses == [200, 200, 429]
