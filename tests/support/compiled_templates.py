"""Compile each template once for all tests.

Every test process, and every program that tests start, would compile the same 300 templates. Their
code is kept in `build/`, for as long as no module of the site changes.
"""

import marshal
import secrets
import shutil
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import CodeType
from typing import Any

import jinja2

import webapp
from webapp.core.rendering import templating

SITE = Path(webapp.__file__).parent
KEPT = SITE.parent / "build" / "templates"


class KeptCode(templating.PlainEnvironment):
    """Looks for the code of a template before it compiles it."""

    def compile(
        self, source: Any, name: Any = None, filename: Any = None, *options: Any, **more: Any
    ) -> Any:
        """Return the code of a template."""
        if options or more or not isinstance(source, str):
            return super().compile(source, name, filename, *options, **more)
        file = _folder() / sha256(f"{name}\0{source}".encode()).hexdigest()
        try:
            return marshal.loads(file.read_bytes())
        except (OSError, ValueError, EOFError, TypeError):
            code = super().compile(source, name, filename)
            _keep(file, code)
            return code


def use_kept_code() -> None:
    """Let each app of this process, and of those that it forks, use the code that is kept."""
    _folder()
    templating.PlainEnvironment = KeptCode  # type: ignore[misc]


def _keep(file: Path, code: CodeType) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)  # another version may have ended it
    new = file.with_suffix(f".{secrets.token_hex(8)}")  # several threads may write it at once
    new.write_bytes(marshal.dumps(code))
    new.replace(file)


@cache
def _folder() -> Path:
    """Return the folder for this version of the site. Others end."""
    version = sha256(f"{jinja2.__version__} {marshal.version}".encode())
    for path in sorted(SITE.rglob("*.py")):
        found = path.stat()
        version.update(f"{path} {found.st_mtime_ns} {found.st_size}\n".encode())
    folder = KEPT / version.hexdigest()
    if not folder.exists():
        shutil.rmtree(KEPT, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
    return folder
