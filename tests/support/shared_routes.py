"""Compile routes once for all apps of a test process."""

from __future__ import annotations

from copy import copy
from threading import Lock
from typing import Any, ClassVar

from flask import Flask
from werkzeug.routing import Map, Rule, RuleFactory


class SharedRoutes(Map):
    """The routes of an app. Apps of a test process with the same routes share what is compiled."""

    _compiled: ClassVar[dict[tuple[object, ...], Map]] = {}

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._added: list[Rule] = []
        self._is_compiled = True
        self._compiling = Lock()

    def add(self, rulefactory: RuleFactory) -> None:
        self._added += rulefactory.get_rules(self)
        self._is_compiled = False

    def update(self) -> None:
        with self._compiling:
            if not self._is_compiled:
                shared = self._shared()
                self._matcher, self._rules_by_endpoint = shared._matcher, shared._rules_by_endpoint
                self._is_compiled = True

    def _shared(self) -> Map:
        key = tuple(map(_rule_key, self._added))
        if key not in self._compiled:
            routes = Map(map(copy, self._added), converters=self.converters)
            routes.update()
            self._compiled[key] = routes
        return self._compiled[key]


def _rule_key(rule: Rule) -> tuple[object, ...]:
    methods = frozenset(rule.methods or ())
    answers_options = getattr(rule, "provide_automatic_options", None)
    return (
        *(rule.rule, rule.endpoint, methods, rule.strict_slashes, repr(rule.defaults)),
        answers_options,
    )


def share_routes() -> None:
    """Let the apps of this process share compiled routes."""
    Flask.url_map_class = SharedRoutes
