"""Copies in S3-compatible storage, `s3://bucket/prefix`, in the place of a folder of copies.

The files of a copy are objects below its name. Its list is written last: it makes them a copy.
The client, `obstore`, takes the address and the keys from AWS_… variables.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Any

from webapp.core.errors import StoreError
from webapp.server.liveness.disk_watch import ENOUGH, MEGABYTE, free_megabytes

from .copies import FILE_LIST, NAME, PARTIAL, Copy, list_text, parse_copy

SCHEME = "s3://"


class Bucket:
    """A place of copies. `name`: of the one copy that the URL names, or ""."""

    def __init__(self, url: str) -> None:
        """Name the place. Raises StoreError without the client, a bucket or https."""
        try:
            import obstore
            from obstore.store import S3Store
        except ImportError:
            raise StoreError(
                "Copies to s3:// need the package obstore."
                " Run: .venv/bin/python -m pip install obstore"
            ) from None
        bucket, *parts = url.removeprefix(SCHEME).strip("/").split("/")
        if not bucket:
            raise StoreError("Name a bucket, as in s3://bucket/prefix.")
        is_open = os.environ.get("AWS_ENDPOINT_URL", "").startswith("http:")
        if is_open and not os.environ.get("AWS_ALLOW_HTTP"):
            raise StoreError(
                "AWS_ENDPOINT_URL is not https. If you trust the network, set AWS_ALLOW_HTTP=true."
            )
        self.name = parts.pop() if parts and NAME.fullmatch(parts[-1]) else ""
        self._client: Any = obstore
        self._store = S3Store(bucket, prefix="/".join(parts) or None)

    @contextmanager
    def reporting(self) -> Iterator[None]:
        """Make one line of what fails in the storage or on the disk. Raises StoreError."""
        try:
            yield
        except (self._client.exceptions.BaseError, OSError) as error:
            reason = str(error).strip().splitlines()[0].rstrip(".")
            raise StoreError(f"The copy failed: {reason}.") from None

    def objects(self) -> dict[str, datetime]:
        """Return when each object of a copy, whole or not, was written, by its key."""
        found = {
            one["path"]: one["last_modified"]
            for page in self._client.list(self._store)
            for one in page
        }
        return {key: time for key, time in found.items() if NAME.fullmatch(key.split("/")[0])}

    def read_copy(self, name: str) -> Copy:
        """Return a copy by its name."""
        data = self._client.get(self._store, f"{name}/{FILE_LIST}").bytes()
        return parse_copy(Path(name), bytes(data).decode(errors="replace"))

    @contextmanager
    def writing(self, key: str) -> Iterator[Any]:
        """Open an object. It is there once the block has ended without an error."""
        file = self._client.open_writer(self._store, key)
        yield file
        file.close()

    def delete(self, keys: list[str]) -> None:
        """Delete objects."""
        if keys:
            self._client.delete(self._store, keys)

    def download(self, key: str, path: Path) -> None:
        """Write an object to a new file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            for chunk in self._client.get(self._store, key).stream():
                file.write(chunk)


def names_of(objects: dict[str, datetime]) -> list[str]:
    """Return the names of the whole copies among objects, the newest last."""
    return sorted(key.split("/")[0] for key in objects if key.split("/")[1:] == [FILE_LIST])


@contextmanager
def downloaded(bucket: Bucket) -> Iterator[Path]:
    """Download the named or the newest copy, and remove it when the block ends.

    It lies in TMPDIR, and is not checked yet. Raises StoreError without a copy, or without room.
    """
    with TemporaryDirectory(prefix=PARTIAL) as temporary:
        with bucket.reporting():
            names = names_of(bucket.objects())
            name = bucket.name or (names[-1] if names else "")
            if name not in names:
                raise StoreError("There is no copy: no list of files is at this place.")
            copy = bucket.read_copy(name)
            if free_megabytes(Path(temporary)) < ENOUGH + copy.size / MEGABYTE:
                raise StoreError(f"Too little room in {gettempdir()}. Set TMPDIR to a larger disk.")
            folder = Path(temporary, name)
            folder.mkdir()
            (folder / FILE_LIST).write_text(list_text(copy), encoding="utf-8")
            for file, facts in copy.files.items():
                bucket.download(facts.key, folder / file)
        yield folder
