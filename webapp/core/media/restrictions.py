"""Mark pictures that not everybody may open, with empty files in the media folder.

So a picture is served or refused without the store. `<name>.restricted` is beside a status's
picture. `members/<uid>.protected` and `members/<uid>.suspended` apply to all pictures of a member.
"""

from collections.abc import Collection

from webapp.config import Config

from . import files

SUFFIX = ".restricted"
MEMBER_FLAGS = ("protected", "suspended")


def restrict(config: Config, names: Collection[str]) -> None:
    """Restrict pictures of statuses. Call it before anybody can know their addresses.

    Raises Unavailable if the disk does not take it.
    """
    files.write(config.media_path, {f"{name}{SUFFIX}": b"" for name in names})


def set_member_flags(config: Config, uid: int, flags: Collection[str]) -> None:
    """Set these MEMBER_FLAGS, and no others, for all pictures of a member. Safe to repeat."""
    for flag in MEMBER_FLAGS:
        if flag in flags:
            files.write(config.media_path, {_member_flag(uid, flag): b""})
        else:
            (config.media_path / _member_flag(uid, flag)).unlink(missing_ok=True)


def is_suspended(config: Config, uid: int | str) -> bool:
    """Return True if nobody may open a member's pictures."""
    return (config.media_path / _member_flag(uid, "suspended")).exists()


def is_restricted(config: Config, file: str) -> bool:
    """Return True if not everybody may open a picture of a status, given a file of it."""
    name = file.rpartition("-")[0]
    uid = name.split("/")[1]
    flags = (_member_flag(uid, "protected"), f"{name}{SUFFIX}")
    return any((config.media_path / flag).exists() for flag in flags)


def remove(config: Config, name: str) -> None:
    """Remove the restriction of a status's picture, after its files."""
    (config.media_path / f"{name}{SUFFIX}").unlink(missing_ok=True)


def _member_flag(uid: int | str, flag: str) -> str:
    return f"members/{uid}.{flag}"
