"""A store to fill, with a folder for the pictures."""

from dataclasses import replace

import pytest

from webapp.config import Config


@pytest.fixture
def media(config: Config, tmp_path_factory: pytest.TempPathFactory) -> Config:
    return replace(config, media_dir=str(tmp_path_factory.mktemp("media")))
