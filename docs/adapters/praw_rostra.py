"""Points the stock PRAW at a Rostra service: configuration, and a requestor that renames the interface's words.

    from praw_rostra import rostra
    site = rostra("http://127.0.0.1:8080", client_id="…", client_secret="…", username="ann", password="…")
    for submission in site.subreddit("tea").hot():
        print(submission.title, submission.score)
"""

import json
import re

import praw
import prawcore

WORDS = {"subsite": "subreddit", "subsite_id": "subreddit_id", "subsite_type": "subreddit_type"}
KINDS = {"subsite_settings": "subreddit_settings"}


def renamed(value):
    """The same JSON with `subsite…` keys as PRAW reads them."""
    if isinstance(value, list):
        return [renamed(item) for item in value]
    if isinstance(value, dict):
        result = {WORDS.get(key, key): renamed(item) for key, item in value.items()}
        if result.get("kind") in KINDS:
            result["kind"] = KINDS[result["kind"]]
        return result
    return value


class Requestor(prawcore.Requestor):
    def request(self, *args, **kwargs):
        response = super().request(*args, **kwargs)
        if response.headers.get("Content-Type", "").startswith("application/json") and response.content:
            body = renamed(json.loads(response.text))
            response._content = json.dumps(body).encode()
            response.encoding = "utf-8"
        location = response.headers.get("Location")
        if location:
            response.headers["Location"] = re.sub(r"(^|://[^/]+)/s/", r"\1/r/", location)
        return response


def rostra(url, **credentials):
    return praw.Reddit(
        requestor_class=Requestor,
        reddit_url=url,
        oauth_url=url,
        short_url=url,
        comment_kind="t1",
        redditor_kind="t2",
        trophy_kind="t3",
        subreddit_kind="t4",
        submission_kind="t5",
        message_kind="t6",
        ratelimit_seconds=5,
        check_for_updates=False,
        user_agent="praw_rostra",
        **credentials,
    )
