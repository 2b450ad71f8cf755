"""Call the chat API with an access token."""

from typing import Any

from flask import Flask
from werkzeug.test import TestResponse

from tests.support.world import OnSite
from webapp.accounts.tokens import store as tokens
from webapp.config import Config
from webapp.core.store import Db


class Caller(OnSite):
    """A member who calls the API with an access token."""

    def __init__(self, app: Flask, uid: int) -> None:
        self.app, self.uid = app, uid
        self.db: Db = app.extensions["linnet.db"]
        self.config: Config = app.extensions["linnet.config"]
        self.client = app.test_client()
        token = tokens.create(self.site, uid, "script")
        self.headers = {"Authorization": f"Bearer {token}"}

    def get(self, path: str = "", **query: Any) -> Any:
        """Return the JSON of a successful GET."""
        response = self.send_get(path, **query)
        assert response.status_code == 200, response.text
        return response.json

    def send_get(self, path: str = "", **query: Any) -> TestResponse:
        """Return the response to a GET."""
        return self.client.get(f"/api/chats{path}", query_string=query, headers=self.headers)

    def post(self, path: str, **options: Any) -> TestResponse:
        """Return the response to a POST."""
        return self.call("POST", path, **options)

    def call(self, method: str, path: str, key: str = "", **options: Any) -> TestResponse:
        """Return the response to a request, with an idempotency key if one is given."""
        headers = {**self.headers, **({"Idempotency-Key": key} if key else {})}
        return self.client.open(f"/api/chats{path}", method=method, headers=headers, **options)

    def send_message(self, cid: str, text: str, key: str = "", **more: Any) -> int:
        """Send a message and return its id."""
        response = self.post(f"/{cid}/messages", key=key, json={"text": text, **more})
        assert response.status_code == 201, response.text
        return int(response.json["id"])

    def fetch(self, **query: Any) -> dict[str, list[str]]:
        """Return the texts of the pending messages, by chat."""
        return {
            item["chat"]["id"]: [message["text"] for message in item["messages"]]
            for item in self.get("/pending", **query)["chats"]
        }


Pair = tuple[Caller, Caller, str]  # the owner and a member of a group, and its id


def assert_error(response: TestResponse, status: int, code: str) -> None:
    """Assert that a response is this error in JSON, with a message for people."""
    assert response.status_code == status, response.text
    assert response.mimetype == "application/json" and response.json["error"] == code
    assert len(response.json["message"]) > 8
