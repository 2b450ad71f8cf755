"""A whole site that keeps running while several tests use it, each with members of its own."""

from itertools import count
from pathlib import Path
from typing import Any

from tests.support.processes import Program, RunningSite, free_port
from tests.support.streaming.client import Scene


class LiveSite(RunningSite):
    """A store, pages that apply events inline, and streams, on ports that stay the same."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        super().__init__(folder, port=free_port(), stream_port=free_port(), **settings)
        self._suffixes = count(1)

    def new_scene(self, empty: bool = False) -> Scene:
        """Return a scene with new members on the running site.

        `empty`: on a site that has no other members and posts.
        """
        if empty:
            for program in self.programs:
                if program.alive:
                    program.kill()
            self.empty()
        scene = Scene(self, "" if empty else str(next(self._suffixes)))
        scene.port = self.config.stream_port
        scene.program = self._running("stream") or self.stream(scene.port)
        if not self.pages:
            self.start_pages()
        return scene

    @property
    def pages(self) -> Program | None:
        """Return the process that serves pages, if it runs."""
        return self._running("serve")

    def start_pages(self) -> Program:
        """Start the process that serves pages."""
        return self.serve(self.config.port, inline_projections=True)

    def _running(self, command: str) -> Program | None:
        running = (one for one in self.programs if one.command == command and one.alive)
        return next(running, None)
