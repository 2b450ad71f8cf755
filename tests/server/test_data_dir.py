"""A data folder: who may read it, and the address of the site that used it last."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from webapp.config import Config
from webapp.server.data_dir import last_address, lock, remember_address, site_url


def test_the_last_address_of_an_embedded_site_is_known(tmp_path: Path) -> None:
    config = Config(data_dir=tmp_path)
    assert last_address(config) == ""
    remember_address(config, "http://127.0.0.1:9000")
    assert last_address(config) == "http://127.0.0.1:9000"


def test_a_command_names_the_public_address_else_that_of_the_running_site(tmp_path: Path) -> None:
    config = Config(data_dir=tmp_path, host="::", port=9001)
    assert site_url(config) == "http://[::1]:9001"
    remember_address(config, "http://127.0.0.1:9000")
    assert site_url(config) == "http://127.0.0.1:9000"
    assert site_url(replace(config, site_url="https://birds.example/")) == "https://birds.example"


def test_the_address_of_a_site_on_an_external_store_is_not_guessed(tmp_path: Path) -> None:
    remember_address(Config(data_dir=tmp_path), "http://127.0.0.1:9000")
    external = replace(Config(data_dir=tmp_path), redis_url="redis://127.0.0.1")
    assert last_address(external) == ""
    remember_address(replace(external, data_dir=tmp_path / "missing"), "http://127.0.0.1:9001")
    assert not (tmp_path / "missing").exists()


@pytest.mark.parametrize("folder_mode", [0o755, 0o1777])
def test_an_older_folder_is_taken_away_from_other_users(tmp_path: Path, folder_mode: int) -> None:
    folder = tmp_path / "var"
    pictures = folder / "media" / "7"
    pictures.mkdir(parents=True)
    for path in (folder / "secret_key", folder / "valkey.log", pictures / "one.webp"):
        path.write_text("private")
        path.chmod(0o644)
    mine = folder / "mine"
    mine.write_text("not the site's")
    mine.chmod(0o755)
    for path in (folder / "media", pictures):
        path.chmod(0o755)
    folder.chmod(folder_mode)
    os.close(lock(folder))
    modes = {path.name: path.stat().st_mode & 0o777 for path in folder.rglob("*")}
    assert modes == {
        **dict.fromkeys(("secret_key", "valkey.log", "one.webp", "lock"), 0o600),
        **{"media": 0o700, "7": 0o700, "mine": 0o755},
    }
    shared_by_all = folder_mode == 0o1777
    assert folder.stat().st_mode & 0o1777 == (0o1777 if shared_by_all else 0o700)
