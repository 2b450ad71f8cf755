"""Register blueprints and compile routes once for all apps of a test process."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from copy import copy
from threading import Lock
from typing import Any, ClassVar

from flask import Blueprint, Flask
from werkzeug.routing import Map, Rule, RuleFactory

import webapp.app

# Functions by scope: a blueprint, or None for all.
LISTS = (
    *("before_request_funcs", "after_request_funcs", "teardown_request_funcs"),
    *("template_context_processors", "url_value_preprocessors", "url_default_functions"),
)


class AllBlueprints:
    """Takes the place of the site's blueprints, and leaves each app as they would.

    They are registered with the first app. The next ones get copies of what that added.
    """

    def __init__(self, blueprints: Sequence[Blueprint]) -> None:
        self._blueprints = blueprints
        self._added: list[dict[Any, Any]] = []
        self._rules: list[Rule] = []

    def register(self, app: Flask, options: dict[str, Any]) -> None:
        """Do as `Blueprint.register`."""
        routes: Any = app.url_map
        if self._added:
            for tables, added in zip(_tables(app), self._added, strict=True):
                _merge(tables, added)
            routes.add_all(self._rules)
            return
        before, rules = [_copy(table) for table in _tables(app)], len(routes.added)
        for blueprint in self._blueprints:
            app.register_blueprint(blueprint, **options)
        self._added = [
            _difference(old, table) for old, table in zip(before, _tables(app), strict=True)
        ]
        self._rules = routes.added[rules:]


def _tables(app: Flask) -> list[dict[Any, Any]]:
    """Return what blueprints add to, but for the routes. Configurations in it are left alone."""
    env = app.jinja_env
    return [
        *(app.blueprints, app.view_functions, app.error_handler_spec, app.extensions),
        *(env.filters, env.tests, env.globals, app.url_map.converters),
        *(getattr(app, name) for name in LISTS),
    ]


def _copy(value: Any) -> Any:
    if type(value) in (dict, defaultdict):
        return {key: _copy(one) for key, one in value.items()}
    return [*value] if type(value) is list else value


def _difference(old: Any, new: Any) -> Any:
    """Return what a table has more than before: further keys, longer lists."""
    if isinstance(new, list):
        return new[len(old) :]
    found = _empty(new)
    for key, one in new.items():
        if type(one) in (dict, defaultdict, list):
            found[key] = _difference(old.get(key, _empty(one)), one)
        elif key not in old or old[key] is not one:
            found[key] = one
    return found


def _empty(value: Any) -> Any:
    """Return an empty table or list of the same kind."""
    return defaultdict(value.default_factory) if isinstance(value, defaultdict) else type(value)()


def _merge(table: dict[Any, Any], added: dict[Any, Any]) -> None:
    for key, one in added.items():
        if isinstance(one, list):
            table.setdefault(key, []).extend(one)
        elif isinstance(one, dict):
            _merge(table.setdefault(key, _empty(one)), one)
        else:
            table[key] = one


class SharedRoutes(Map):
    """The routes of an app. Apps of a test process with the same routes share what is compiled."""

    _compiled: ClassVar[dict[tuple[object, ...], Map]] = {}

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.added: list[Rule] = []
        self._is_compiled = True
        self._compiling = Lock()

    def add(self, rulefactory: RuleFactory) -> None:
        self.add_all(rulefactory.get_rules(self))

    def add_all(self, rules: Any) -> None:
        """Add rules, which other maps may have too: they are copied before they are compiled."""
        self.added += rules
        self._is_compiled = False

    def update(self) -> None:
        with self._compiling:
            if not self._is_compiled:
                shared = self._shared()
                self._matcher, self._rules_by_endpoint = shared._matcher, shared._rules_by_endpoint
                self._is_compiled = True

    def _shared(self) -> Map:
        key = tuple(map(_rule_key, self.added))
        if key not in self._compiled:
            routes = Map(map(copy, self.added), converters=self.converters)
            routes.update()
            self._compiled[key] = routes
        return self._compiled[key]


def _rule_key(rule: Rule) -> tuple[object, ...]:
    if "test_key" not in vars(rule):
        methods = frozenset(rule.methods or ())
        answers_options = getattr(rule, "provide_automatic_options", None)
        vars(rule)["test_key"] = (
            *(rule.rule, rule.endpoint, methods, rule.strict_slashes, repr(rule.defaults)),
            answers_options,
        )
    key: tuple[object, ...] = vars(rule)["test_key"]
    return key


def share_routes() -> None:
    """Let the apps of this process share blueprints and routes."""
    Flask.url_map_class = SharedRoutes
    every: Any = AllBlueprints(webapp.app.BLUEPRINTS)
    webapp.app.BLUEPRINTS = (every,)
