"""The secret key of a site: a setting, or a file of the data folder."""

import os
import secrets
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import NamedTemporaryFile

from webapp.config import BadSetting, Config


def with_secret(config: Config) -> Config:
    """Return the configuration with a secret key. Every process that needs one calls this.

    In embedded mode the first process writes one to `data_dir`. `linnet run` passes its key on to
    the processes that it starts. Raises BadSetting.
    """
    if config.secret_key:
        return config
    if not config.embedded:
        raise BadSetting(
            "SECRET_KEY is not set. Give the site a long random one, the same for every process."
        )
    try:
        return replace(config, secret_key=_stored_secret(config.data_dir))
    except OSError as error:
        raise BadSetting(
            f"DATA_DIR={config.data_dir} cannot hold the secret key: {error}."
        ) from None


def _stored_secret(folder: Path) -> str:
    path = folder / "secret_key"
    if not path.exists():
        folder.mkdir(0o700, parents=True, exist_ok=True)
        # Written whole, then linked: processes that start together all read the first one's key.
        with NamedTemporaryFile("w", dir=folder) as temp_file:
            temp_file.write(secrets.token_hex(32))
            temp_file.flush()
            os.fsync(temp_file.fileno())
            with suppress(FileExistsError):
                os.link(temp_file.name, path)
    if not (secret := path.read_text()):
        raise BadSetting(
            f"{path} is empty. Copy it from a backup, or remove it to get a new key:"
            " open forms, webhooks and apps then need new secrets."
        )
    return secret
