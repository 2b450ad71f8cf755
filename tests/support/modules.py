"""The modules of the site as syntax trees."""

import ast
from functools import cache
from pathlib import Path

import pytest

import webapp

PACKAGE = Path(webapp.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
# Tests that read all modules run in one process, which parses each module once.
reads_modules = pytest.mark.xdist_group("modules")


@cache
def tree_of(path: Path) -> ast.Module:
    """Return the syntax tree of a module."""
    return ast.parse(path.read_text())
