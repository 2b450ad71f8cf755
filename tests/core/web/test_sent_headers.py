"""The headers of responses, as they are sent."""

from flask import Flask, Response, redirect

from webapp.core.web.security import SentResponse


def test_headers_are_those_that_werkzeug_would_send() -> None:
    app = Flask(__name__)
    app.response_class = SentResponse
    views = {
        "/page": lambda: "page",
        "/led": lambda: redirect("/tags/百灵?q=a b", 303),
        "/none": lambda: Response(status=204, headers={"Content-Length": "0"}),
        "/unchanged": lambda: Response("page", 304),
        "/several": lambda: Response(iter(["a", "b"])),
        "/made": lambda: ("made", 201, {"Content-Location": "/百灵"}),
    }
    for path, view in views.items():
        app.add_url_rule(path, path, view)
    ours = {path: [*app.test_client().get(path).headers] for path in views}
    app.response_class = Response
    assert ours == {path: [*app.test_client().get(path).headers] for path in views}
    assert ("Location", "/tags/%E7%99%BE%E7%81%B5?q=a%20b") in ours["/led"]
