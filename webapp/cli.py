"""The command line: `linnet run` for the whole site, one command for each process, and tools."""

import os
import sys
from importlib import import_module
from typing import Any

import click

from .admin.command_options import data_dir_option, number_option
from .admin.setup.notice import setup_notice
from .config import BadSetting, load
from .core.errors import Refused, StoreError
from .core.secret_key import with_secret
from .core.store.connection import DATA_VERSION
from .server.data_dir import PRIVATE_UMASK

VERSION_TEXT = f"%(prog)s %(version)s, data version {DATA_VERSION}"
host_option = click.option("--host", help="Address to listen on. [HOST, 127.0.0.1]")
port_option = click.option("--port", type=int, help="Port of the pages. [PORT, 8000]")
stream_port_option = click.option(
    "--stream-port", type=int, help="Port of the streams. [STREAM_PORT, 8001]"
)


# Commands and their modules, imported when they are called: processes that stay load less.
COMMANDS = {
    "backup": "backups.backup_commands",
    "backup-key": "backups.backup_commands",
    "config": "settings.config_command",
    "drops": "reward_commands",
    "grant": "member_commands",
    "invite": "invite_command",
    "items": "reward_commands",
    "load-countries": "settings.countries",
    "logs": "site_status",
    "member": "member_commands",
    "points": "reward_commands",
    "promotions": "reward_commands",
    "reports": "moderation_commands",
    "reseal": "upgrade_commands",
    "restore": "backups.backup_commands",
    "setup": "setup.setup_command",
    "status": "site_status",
    "trends": "moderation_commands",
    "upgrade": "upgrade_commands",
}


class CommandGroup(click.Group):
    """Commands that report errors an operator can fix in one line, without a traceback."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), *COMMANDS])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return super().get_command(ctx, cmd_name)
        module = import_module(f"webapp.admin.{COMMANDS[cmd_name]}")
        command: click.Command = getattr(module, cmd_name.replace("-", "_"))
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except Refused as refusal:
            raise click.ClickException(str(refusal.sentence)) from None
        except (BadSetting, StoreError) as error:
            raise click.ClickException(str(error)) from None
        except UnicodeEncodeError as error:  # a byte of an argument that is no character
            if error.encoding != "utf-8":
                raise
            raise click.ClickException("Write arguments in UTF-8.") from None


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="linnet", prog_name="Linnet", message=VERSION_TEXT)
def main() -> None:
    """Linnet, a small social site.

    Every setting is an environment variable. Options go before them.
    """
    os.umask(PRIVATE_UMASK)


@main.command()
@host_option
@port_option
@stream_port_option
@data_dir_option
def run(**options: Any) -> None:
    """Start the whole site: store, pages, streams and worker."""
    from .server.supervisor import run

    sys.exit(run(load(options), setup_notice))


@main.command()
@host_option
@port_option
def serve(**options: Any) -> None:
    """Start only the pages."""
    from .app import pages_app
    from .server.granian import serve_pages

    serve_pages(load(options), pages_app)


@main.command()
@host_option
@stream_port_option
def stream(**options: Any) -> None:
    """Start only the streams."""
    from .app import streams_app
    from .server.granian import serve_streams

    serve_streams(load(options), streams_app)


@main.command()
@data_dir_option
def worker(**options: Any) -> None:
    """Start only a worker."""
    from .core.events.worker import run
    from .registry import REGISTRY

    run(with_secret(load(options)), REGISTRY)


@main.command()
@data_dir_option
@click.option("--verify", is_flag=True, help="Check that all that is stored agrees with itself.")
@click.option(
    "--repair",
    is_flag=True,
    help="Cut a damaged end off the files of a stopped store; with --verify, mend what it finds.",
)
@click.option("--keys", is_flag=True, help="Say which keys take most memory, and most commands.")
@click.option("--match", metavar="NOUN", default="", help="With --keys: only NOUN:… .")
@number_option("--top", 20, "With --keys: kinds of keys to list.", 1)
@click.option(
    "--pause",
    type=click.FloatRange(0, 60),
    default=0.1,
    show_default=True,
    help="With --keys: seconds of rest after a hundred answers of the store.",
)
@click.option("--json", "as_json", is_flag=True, help="With --keys: print JSON.")
@click.option("--drill", is_flag=True, help="End the store of a test site, and count the losses.")
@number_option("--members", 20, "With --drill: at most so many.", 0)
def doctor(
    repair: bool,
    verify: bool,
    drill: bool,
    members: int,
    keys: bool,
    match: str,
    top: int,
    pause: float,
    as_json: bool,
    **options: Any,
) -> None:
    """Check this installation, and say what to do about problems."""
    from .admin import aof_repair
    from .admin.doctor import report
    from .admin.store_findings import print_findings

    if drill:
        from .admin.drill.drill import drill as end_primary

        sys.exit(end_primary(load(options), members))
    if verify:
        from .admin.verify.checking import verify as verify_all

        sys.exit(verify_all(options, repair))
    if repair:
        click.echo(aof_repair.repair(load(options)))
        return
    if keys:
        from .admin.key_report.command import print_report

        sys.exit(print_report(load(options), match, top, pause, as_json))
    sys.exit(print_findings(report(load(options))))


@main.command()
@data_dir_option
def retry(**options: Any) -> None:
    """Put the parked events, which failed too often, back in line."""
    from .core.events.attempts import retry_parked
    from .core.store.connection import connect

    db = connect(load(options))
    count = retry_parked(db)
    db.close()
    click.echo(f"{count} parked {'event is' if count == 1 else 'events are'} back in line.")


@main.command()
@data_dir_option
@number_option("--members", 300, "How many members.", 2, 5_000)
@number_option("--statuses", 3_000, "How many statuses.", 0, 20_000)
@number_option("--days", 60, "Over how many days.", 1, 300)
@click.option(
    "--seed", default="1", show_default=True, help="Another seed makes another community."
)
@click.option("--add", is_flag=True, help="Even if there are members already.")
def demo(data_dir: str | None, add: bool, **plan_options: Any) -> None:
    """Fill an empty store with a demo community."""
    from .demo.command import demo

    demo(load({"data_dir": data_dir}), add, **plan_options)


if __name__ == "__main__":
    main(prog_name="linnet")
