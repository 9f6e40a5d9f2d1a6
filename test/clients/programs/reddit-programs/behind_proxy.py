"""Runs programs that others wrote, unchanged, behind the proxy, and says what came of it."""

import json
import os
import re
import subprocess
import sys
from contextlib import contextmanager

SCENE = json.loads(os.environ["SCENE"])
CONTENT = SCENE["content"]
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, ".."))

from report import true

PROGRAMS = os.path.join(os.getcwd(), "venv", "bin")
SECONDS = 120


def id_of(fullname):
    return fullname.split("_")[1]


@contextmanager
def proxy(*options, app=None):
    """The address of a proxy, which sends the credentials of `app` if one is given."""
    command = [os.environ["NODE"], os.path.join(SCENE["adapters"], "rostra-proxy.mjs"), SCENE["url"], "--port", "0", *options]
    environment = dict(os.environ)
    if app is not None:
        command += ["--app", app["client_id"]]
        environment["ROSTRA_APP_SECRET"] = app["client_secret"]
    started = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        listening = started.stdout.readline()
        true(" listening on " in listening, f"the proxy did not start, but said {listening!r}")
        yield listening.split()[-1]
    finally:
        started.kill()
        started.wait()


@contextmanager
def secure_proxy(**options):
    """The variables with which a program that knows https://www.reddit.com alone reaches the service."""
    with open(os.path.join(SCENE["adapters"], "..", "guide", "reddit-programs.md")) as guide:
        commands = re.search(r"^```sh\n(.*?)^```", guide.read(), re.DOTALL | re.MULTILINE)[1]
    made = subprocess.run(["bash", "-eu", "-c", commands], capture_output=True, text=True)
    true(made.returncode == 0, f"the certificates were not made: {made.stderr[-600:]}")
    with proxy("--cert", "proxy.pem", "--key", "proxy.key", **options) as address:
        yield {
            "HTTPS_PROXY": address.replace("https:", "http:"),
            "REQUESTS_CA_BUNDLE": os.path.abspath("authority.pem"),
            "NO_PROXY": "",
            "no_proxy": "",
        }


def write_praw_ini(address, **sections):
    """The configuration of PRAW in the folder in which a program starts."""
    with open("praw.ini", "w") as file:
        file.write(f"[DEFAULT]\noauth_url={address}\nreddit_url={address}\nshort_url={address}\n")
        for name, values in sections.items():
            file.write(f"[{name}]\n" + "".join(f"{key}={value}\n" for key, value in values.items()))


def credentials(name):
    app = CONTENT["accounts"][name]
    return {"client_id": app["client_id"], "client_secret": app["client_secret"], "username": name, "password": CONTENT["password"]}


def run(program, *arguments, environment=None):
    """The output of a program that must succeed."""
    done = subprocess.run(
        [os.path.join(PROGRAMS, program), *arguments],
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    output = done.stdout + done.stderr
    if done.returncode != 0:
        raise AssertionError(f"{program} ended with {done.returncode}: {output[-600:]}")
    return output
