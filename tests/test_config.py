"""Settings that cannot be used are refused at the start, with one that would do."""

from pathlib import Path

import pytest

from webapp.config import BadSetting, Config, load
from webapp.core.settings.declared import parse_change

MAIL = {"mail_from": "linnet@example.org"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("trusted_proxies", "-1"),
        ("drain_seconds", "-3"),
        ("page_cache_bytes", "-1"),
        ("lease_seconds", "inf"),
        ("store_timeout", "nan"),
        ("web_workers", "0"),
        ("site_url", "example.org"),
        ("site_url", "https://example.org/social"),
        ("site_url", "https://example.org:abc"),
        ("stream_url", "streams.example.org"),
        ("password_cost", "0/0/0"),
        ("password_cost", "8/1/2"),
        ("smtp_url", "smtp://mail:abc"),
        ("smtp_url", "smtp://mail:99999"),
        ("smtp_url", "smtps://user:pass#word@mail"),
        ("smtp_url", "smtps://user:pass?word@mail"),
        ("smtp_url", "smtps://user:password@"),
    ],
)
def test_a_value_that_nothing_can_work_with_is_refused(name: str, value: str) -> None:
    with pytest.raises(BadSetting, match=rf"{name.upper()}.* would do"):
        load({**MAIL, name: value}, {})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("trusted_proxies", "0"),
        ("picture_megabytes_max", "0"),
        ("site_url", "https://example.org/"),
        ("site_url", "http://[::1]:8000"),
        ("stream_url", "https://example.org/live/"),
        ("password_cost", "16/1/2"),
        ("smtp_url", "smtp+starttls://user:pass%23word@mail.example.org"),
    ],
)
def test_a_value_that_works_is_accepted(name: str, value: str) -> None:
    assert str(getattr(load({**MAIL, name: value}, {}), name)) == value


def test_a_site_that_others_reach_requires_a_second_factor_of_its_staff() -> None:
    assert load({}, {"SITE_URL": "https://example.org"}).require_factors
    assert not load({}, {"SITE_URL": "http://localhost:8000"}).require_factors
    said_no = {"SITE_URL": "https://example.org", "REQUIRE_FACTORS": "no"}
    assert not load({}, said_no).require_factors


def test_an_admin_may_lift_the_limit_of_pictures() -> None:
    assert parse_change(Config(), "picture_megabytes_max", "0") == "0"


def test_a_secret_may_be_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("from the file\n", encoding="utf-8")
    environ = {"SECRET_KEY_FILE": str(file)}
    assert load({}, environ).secret_key == "from the file"
    assert load({}, {**environ, "SECRET_KEY": "itself"}).secret_key == "itself"
    file.unlink()
    with pytest.raises(BadSetting, match=r"SECRET_KEY_FILE=.*cannot be read"):
        load({}, environ)
