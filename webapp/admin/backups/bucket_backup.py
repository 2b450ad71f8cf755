"""`linnet backup s3://…`: write a copy to storage while the site runs, file by file."""

from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import IO

from webapp.config import Config

from .backup import Backup, copy_site, transform_for
from .bucket import Bucket, names_of
from .copier import Copier
from .copies import FILE_LIST, Copy, FileFacts, list_text, new_name
from .encryption import Transform

LEFT_FOR = timedelta(days=1)  # for objects that no copy has: another command may be writing them


class BucketCopier(Copier):
    """Puts files below the name of a copy, and nothing on the disk. `folder`: that name."""

    def __init__(
        self,
        bucket: Bucket,
        stored: Collection[str],
        previous: Copy | None,
        transform: Transform,
        recipients: tuple[str, ...],
    ) -> None:
        super().__init__(Path(new_name()), previous, transform, recipients)
        self._bucket, self._stored = bucket, stored

    def clear(self) -> None:
        """Forget all files. The next ones take their place, or they are removed a day later."""
        self.files.clear()
        self.linked = 0

    def _link(self, name: str, facts: FileFacts) -> bool:
        return facts.key in self._stored

    def _write(
        self, source: IO[bytes], size: int, name: str, modified: int | None = None
    ) -> FileFacts:
        key = f"{self.folder}/{name}"
        with self._bucket.writing(key) as file:
            facts = self._pass_on(source, size, file)
        return replace(facts, key=key, modified=modified)


def back_up(config: Config, bucket: Bucket, keep: int, recipients: tuple[str, ...]) -> Backup:
    """Add a copy of a site to a bucket, and remove all but the newest `keep`.

    The site may run. What ends before the list is written leaves no copy, but objects that a later
    backup removes. `recipients`: as for `make_backup`. Raises StoreError.
    """
    with bucket.reporting():
        stored = bucket.objects()
        names = names_of(stored)
        previous = bucket.read_copy(names[-1]) if names else None
        transform = transform_for(recipients, previous)
        copier = BucketCopier(bucket, stored, previous, transform, recipients)
        copy = copy_site(copier, config)
        with bucket.writing(f"{copy.folder}/{FILE_LIST}") as file:
            file.write(list_text(copy).encode())
        return Backup(copy, copier.linked, _remove_old(bucket, keep))


def _remove_old(bucket: Bucket, keep: int) -> int:
    """Remove all but the newest copies, and what no copy has. Return how many copies."""
    objects = bucket.objects()
    names = names_of(objects)
    old, kept = names[:-keep], names[-keep:]
    lists = {name: f"{name}/{FILE_LIST}" for name in names}
    bucket.delete([lists[name] for name in old])  # no copy from now on
    used = {facts.key for name in kept for facts in bucket.read_copy(name).files.values()}
    used |= set(lists.values())
    ends = max(objects.values()) - LEFT_FOR  # by the clock of the storage
    bucket.delete([key for key, time in objects.items() if key not in used and time < ends])
    return len(old)
