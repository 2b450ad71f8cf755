"""The commands `linnet backup` and `linnet restore`."""

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import click

from webapp.admin.command_options import data_dir_option, number_option
from webapp.config import load

from .backup import SECRET_KEY, make_backup
from .bucket import SCHEME, Bucket, downloaded
from .bucket_backup import back_up
from .encryption import make_key
from .restore import restore as put_back, try_copy

place_argument = click.argument("place", metavar="FOLDER")
identity_option = click.option(
    "--identity",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File with the key of an encrypted copy.",
)


@click.command("backup-key")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def backup_key(file: Path) -> None:
    """Write a new key for encrypted copies to FILE, and print its public key.

    Keep the file on another machine than the site: without it no encrypted copy can be read.
    """
    click.echo(make_key(file))


@click.command()
@place_argument
@data_dir_option
@number_option("--keep", 7, "How many copies to keep. Older ones are removed.", 1)
@click.option("--verify", is_flag=True, help="Start the newest copy aside, and count.")
@click.option(
    "--recipient",
    "recipients",
    multiple=True,
    metavar="KEY",
    help="Encrypt the copy for the holder of this public key of age. May be repeated.",
)
@identity_option
def backup(
    place: str,
    keep: int,
    verify: bool,
    recipients: tuple[str, ...],
    identity: Path | None,
    **options: Any,
) -> None:
    """Add a copy of the site to FOLDER or s3://bucket/prefix, while it runs or is stopped.

    The copy has every write that was acknowledged before. Run this on the machine of the store.
    """
    if verify:
        with _local(place) as folder:
            copy, counts = try_copy(folder, identity)
        click.echo(
            f"The copy of {copy.made_at} is whole: {len(copy.files):,} files, {copy.size:,} bytes."
            f" Its store starts, with {counts.total():,} keys: {counts['login']:,} members and"
            f" {counts['status']:,} posts."
        )
        return
    config = load(options)
    if place.startswith(SCHEME):
        made = back_up(config, Bucket(place), keep, recipients)
    else:
        made = make_backup(config, Path(place), keep, recipients)
    click.echo(
        f"Copied {len(made.copy.files):,} files, {made.copy.size:,} bytes, to"
        f" {place.rstrip('/')}/{made.copy.folder.name}."
        f" Shared with the copy before: {made.linked:,}."
    )
    if made.removed:
        click.echo(f"Older copies removed: {made.removed}.")


@click.command()
@place_argument
@identity_option
@data_dir_option
def restore(place: str, identity: Path | None, **options: Any) -> None:
    """Put the copy FOLDER, or the newest in it, into an empty data folder.

    FOLDER may be s3://bucket/prefix.
    """
    config = load(options)
    with _local(place) as folder:
        copy = put_back(config, folder, identity)
    click.echo(
        f"The site of {copy.made_at} is back in {config.data_dir}: {len(copy.files):,} files,"
        f" {copy.size:,} bytes. Start it with: linnet run --data-dir {config.data_dir}"
    )
    if SECRET_KEY not in copy.files:
        click.echo("The copy has no secret key. Set SECRET_KEY to that of the site.")
    click.echo("While it runs, close restricted pictures with: linnet upgrade pictures")


def _local(place: str) -> AbstractContextManager[Path]:
    """Return the folder of a place: itself, or a copy that is downloaded from its bucket."""
    return downloaded(Bucket(place)) if place.startswith(SCHEME) else nullcontext(Path(place))
