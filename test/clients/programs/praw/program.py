"""PRAW 7 and 8, as a script of a user would call it."""

import json
import os
import sys

sys.path += [os.path.join(os.path.dirname(__file__), ".."), json.loads(os.environ["SCENE"])["adapters"]]

from praw_rostra import rostra
from report import same, works

SCENE = json.loads(os.environ["SCENE"])
CONTENT = SCENE["content"]


def site_of(name):
    app = CONTENT["accounts"][name]
    credentials = {key: app[key] for key in ("client_id", "client_secret")}
    return rostra(SCENE["url"], username=name, password=CONTENT["password"], **credentials)


ann = site_of("ann")


@works("login by password")
def login():
    same(ann.user.me().name, "ann")
