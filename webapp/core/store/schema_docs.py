"""`python -m webapp.layout > docs/data-layout.md`: the data layout, written from the key schema."""

from __future__ import annotations

import inspect

from . import keys
from .connection import SCHEMA_VERSION

HEADER = f"""# Data layout

Every key Linnet writes, from `webapp/core/store/keys.py`: this page is made by `python -m webapp.layout`, and a test compares the
two. The store says which layout it holds in `schema`: `linnet:{SCHEMA_VERSION}`.

A key is `noun:{{tag}}:id:facet`. `<tag>` is the hash tag of one of 64 partitions (`uid % 64`, `status id % 64`): all
that one member owns lies in one slot of a Cluster, so one script can change it at once; on one server it means nothing.
Ids are numbers. A status id is 53 bits: 41 of milliseconds since 2026-01-01, 6 of sequence, 6 of partition.

"""


def render() -> str:
    """The page, as Markdown."""
    return HEADER + "\n".join(_entry(builder) for builder in keys.SCHEMA)


def _entry(spec: keys.KeySpec) -> str:
    summary, _, facts = inspect.cleandoc(spec.doc).partition("\n\n")
    facts = " ".join(facts.split())
    lines = "".join(f"- {fact}\n" for fact in facts.split(" · "))
    return f"## `{spec.shape}`\n\n{summary}\n\n{lines}"


if __name__ == "__main__":
    print(render(), end="")
