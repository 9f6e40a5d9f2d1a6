"""tuir, a browser for terminals, which knows https://www.reddit.com alone."""

import fcntl
import os
import pty
import re
import select
import struct
import termios
import time

from behind_proxy import CONTENT, PROGRAMS, id_of, secure_proxy
from report import works

LINES, COLUMNS = 40, 120


class Screen:
    """A terminal on which tuir runs. What it wrote is read without the control sequences."""

    def __init__(self, environment, *arguments):
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            os.environ.update(environment, TERM="xterm", LANG="C.UTF-8", HOME=os.path.abspath("home"), BROWSER="true")
            os.execv(os.path.join(PROGRAMS, "tuir"), ["tuir", "--monochrome", *arguments])
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        self.text = ""

    def wait_for(self, words, seconds=60):
        deadline = time.monotonic() + seconds
        while words not in self.text:
            ready, _, _ = select.select([self.terminal], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise AssertionError(f"{words} does not appear: {self.text[-500:]}")
            try:
                read = os.read(self.terminal, 65536).decode(errors="replace")
            except OSError:
                raise AssertionError(f"tuir ended: {self.text[-800:]}") from None
            self.text += re.sub(r"\x1b(\[[0-9;?]*[A-Za-z]|[()][A-Z0-9]|[=>])", " ", read)

    def close(self):
        os.kill(self.child, 9)
        os.waitpid(self.child, 0)
        os.close(self.terminal)


def shown(words, *arguments):
    screen = Screen(environment, *arguments)
    try:
        screen.wait_for(words)
    finally:
        screen.close()


os.makedirs("home", exist_ok=True)
with secure_proxy(app=CONTENT["web"]) as environment:

    @works("a subreddit")
    def _():
        shown("Rules of the house", "-s", "tea")

    @works("a link with its comments")
    def _():
        shown("Comment 2", f"https://www.reddit.com/r/tea/comments/{id_of(CONTENT['thread'])}/")
