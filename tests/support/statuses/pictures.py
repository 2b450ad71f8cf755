"""Pictures that members attach, and their files."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image
from werkzeug.datastructures import FileStorage

from webapp.config import Config
from webapp.core.forms.fields import UploadedPicture
from webapp.core.media import removal
from webapp.core.store import Db, Site, partition_of
from webapp.core.text.parser import Parsed
from webapp.statuses import Picture
from webapp.statuses.attachments import keys as attachment_keys, staging

Stage = Callable[..., list[Picture]]
FORM = "form-key-1"
NO_WORDS = Parsed("", 0, ())


def photo(size: tuple[int, int] = (60, 40), colour: str = "#b45", kind: str = "PNG") -> bytes:
    """Return the bytes of a picture of one colour."""
    content = io.BytesIO()
    Image.new("RGB", size, colour).save(content, kind)
    return content.getvalue()


def files(config: Config) -> set[str]:
    """Return the paths of all stored status pictures."""
    return {
        path.relative_to(config.media_path).as_posix()
        for path in config.media_path.glob("posts/*/*")
    }


def files_of(*pictures: Picture) -> set[str]:
    """Return the paths that these pictures have."""
    return {path.removeprefix("/media/") for picture in pictures for path, _, _ in picture.paths}


def unused_names(db: Db, uid: int) -> list[str]:
    """Return the names of staged pictures that no status uses."""
    return [
        str(name) for name in db.run(("ZRANGE", attachment_keys.uploads(partition_of(uid)), 0, -1))
    ]


@pytest.fixture
def stage(db: Db, config: Config, tmp_path: Path) -> Stage:
    """`stage(uid, "red", "blue")` stages pictures of these colours, as a form does."""

    def run(uid: int, *colours: str, with_: Db = db) -> list[Picture]:
        uploads = [
            FileStorage(io.BytesIO(photo(colour=colour)), content_type="image/png")
            for colour in colours
        ]
        return staging.stage(
            Site(with_, config),
            uid,
            [UploadedPicture(file, f"all {c}") for file, c in zip(uploads, colours, strict=True)],
        )

    return run


@pytest.fixture
def expire_in_flight(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Let the time pass in which a form may still be in flight."""
    return lambda: monkeypatch.setattr(removal, "IN_FLIGHT_SECONDS", 0)
