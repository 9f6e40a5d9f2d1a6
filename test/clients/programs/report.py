"""How a program reports: one line for each function."""

import traceback
from contextlib import contextmanager


def _line(outcome, call, reason=""):
    print("\t".join([outcome, call, " ".join(str(reason).split())]), flush=True)


@contextmanager
def _tried(call, work):
    """What is raised within is what failed."""
    try:
        yield
    except Exception as error:
        mine = next((frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.name == work.__name__), 0)
        _line("failed", call, f"{type(error).__name__}: {error} (line {mine})")
    else:
        _line("ok", call)


@contextmanager
def _refused(call, reason, refusal):
    """What is within must fail in words that contain `refusal`: a reason that no longer holds is a failure, too."""
    try:
        yield
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        if refusal in said:
            _line("ruled out", call, reason)
        else:
            _line("failed", call, f"expected {refusal}, got {said}")
    else:
        _line("failed", call, f"works, although it is said that {reason}")


def works(call):
    """Calls the decorated function at once."""

    def now(work):
        with _tried(call, work):
            work()

    return now


async def works_async(call, work):
    with _tried(call, work):
        await work()


def ruled_out(call, reason, refusal, work):
    with _refused(call, reason, refusal):
        work()


async def ruled_out_async(call, reason, refusal, work):
    with _refused(call, reason, refusal):
        await work()


def same(found, expected):
    if found != expected:
        raise AssertionError(f"found {found!r}, expected {expected!r}")


def true(found, what):
    if not found:
        raise AssertionError(what)
