"""Points the stock PRAW (7 and 8) or Async PRAW at a Rostra service: configuration, and a renaming of the interface's words.

    from praw_rostra import rostra
    site = rostra("http://127.0.0.1:8080", client_id="…", client_secret="…", username="ann", password="…")
    for submission in site.subreddit("tea").hot():
        print(submission.title, submission.score)

With Async PRAW it is `async_rostra`, with the same arguments.
"""

import json
import re
from contextlib import asynccontextmanager
from importlib.util import find_spec

# What the service calls t3 (an award), t4 (a subsite), t5 (a link) and t6 (a message), as PRAW calls it.
KIND_OF_CLIENTS = {"t3": "t6", "t4": "t5", "t5": "t3", "t6": "t4"}
KIND_OF_SERVICE = {client: service for service, client in KIND_OF_CLIENTS.items()}

FULLNAMES = re.compile(r"t[1-6]_[0-9a-z]+([, ]+t[1-6]_[0-9a-z]+)*")
# Fields of responses and parameters of requests whose values are fullnames; in others a text that looks like one is a text.
FIELDS = re.compile(r"id|fullname|after|before|target_fullname|first_message_name|\w+_id")
PARAMETERS = {"id", "thing_id", "parent", "link_id", "link", "links", "sr", "container", "names", "after", "before", "mid"}


def _kinds(text, kinds):
    return re.sub(r"\bt[3-6](?=_)", lambda found: kinds[found[0]], text) if FULLNAMES.fullmatch(text) else text


def renamed(value, key=""):
    """The JSON of a response as PRAW reads it."""
    if isinstance(value, list):
        return [renamed(item, key) for item in value]
    if isinstance(value, dict):
        # the name of a thing ends in its id; an account or an app may have a name that only looks like a fullname
        thing = isinstance(value.get("name"), str) and re.sub("^t[1-6]_", "", value["name"]) == value.get("id")
        return {
            re.sub(r"^subsite(?=$|_)", "subreddit", name): renamed(item, "fullname" if thing and name == "name" else name)
            for name, item in value.items()
        }
    if not isinstance(value, str):
        return value
    if key == "kind":
        return "subreddit_settings" if value == "subsite_settings" else KIND_OF_CLIENTS.get(value, value)
    if FIELDS.fullmatch(key):
        return _kinds(value, KIND_OF_CLIENTS)
    if key in ("errors", "reason") and re.fullmatch(r"[A-Z_]+", value):
        return value.replace("SUBSITE", "SUBREDDIT")
    return value


def _parameter(name, value):
    return _kinds(value, KIND_OF_SERVICE) if name in PARAMETERS and isinstance(value, str) else value


def _sent(fields):
    """A query, a form or a JSON body as the service reads it."""
    if isinstance(fields, dict):
        return {name: _parameter(name, value) for name, value in fields.items()}
    if isinstance(fields, list) and all(isinstance(field, tuple) for field in fields):
        return [(name, _parameter(name, value)) for name, value in fields]
    return fields


def _request(given):
    return {name: _sent(value) if name in ("params", "data", "json") else value for name, value in given.items()}


def _location(address):
    """Redirects lead to `/s/…`; PRAW knows `/r/…`."""
    return re.sub(r"(^|://[^/]+)/s/", r"\1/r/", address)


def _is_json(response):
    return response.headers.get("Content-Type", "").startswith("application/json")


def _configured(url, given):
    addresses = dict.fromkeys(("reddit_url", "oauth_url", "short_url"), url)
    return {**addresses, "check_for_updates": False, "user_agent": "praw_rostra", **given}


if find_spec("praw"):
    import praw
    import prawcore

    class Requestor(prawcore.Requestor):
        def request(self, *args, **kwargs):
            response = super().request(*args, **_request(kwargs))
            if response.content and _is_json(response):
                response._content = json.dumps(renamed(json.loads(response.text))).encode()
                response.encoding = "utf-8"
            if "Location" in response.headers:
                response.headers["Location"] = _location(response.headers["Location"])
            return response

    def rostra(url, **given):
        return praw.Reddit(requestor_class=Requestor, **_configured(url, given))


if find_spec("asyncpraw"):
    import asyncpraw
    import asyncprawcore
    from multidict import CIMultiDict, CIMultiDictProxy

    class AsyncRequestor(asyncprawcore.Requestor):
        @asynccontextmanager
        async def request(self, *args, **kwargs):
            async with super().request(*args, **_request(kwargs)) as response:
                body = await response.read()
                if body and _is_json(response):
                    response._body = json.dumps(renamed(json.loads(body))).encode()
                if "Location" in response.headers:
                    headers = CIMultiDict(response.headers)
                    headers["Location"] = _location(headers["Location"])
                    response._headers = CIMultiDictProxy(headers)
                    response._cache.pop("headers", None)
                yield response

    def async_rostra(url, **given):
        return asyncpraw.Reddit(requestor_class=AsyncRequestor, **_configured(url, given))
