"""The value of the session cookie, as strangers send it."""

from webapp.accounts.sessions import cookie_value


def test_a_long_cookie_is_malformed_and_not_kept_in_memory() -> None:
    before = cookie_value._parse.cache_info()
    assert cookie_value.parse_cookie("1." + "x" * 100_000) == (None, "")
    assert cookie_value._parse.cache_info() == before
