"""The address of the site that used a data folder last."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from webapp.config import Config
from webapp.server.data_dir import last_address, remember_address


def test_the_last_address_of_an_embedded_site_is_known(tmp_path: Path) -> None:
    config = Config(data_dir=tmp_path)
    assert last_address(config) == ""
    remember_address(config, "http://127.0.0.1:9000")
    assert last_address(config) == "http://127.0.0.1:9000"


def test_the_address_of_a_site_on_an_external_store_is_not_guessed(tmp_path: Path) -> None:
    remember_address(Config(data_dir=tmp_path), "http://127.0.0.1:9000")
    external = replace(Config(data_dir=tmp_path), redis_url="redis://127.0.0.1")
    assert last_address(external) == ""
    remember_address(replace(external, data_dir=tmp_path / "missing"), "http://127.0.0.1:9001")
    assert not (tmp_path / "missing").exists()
