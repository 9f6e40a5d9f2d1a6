"""How a program reports: one line for each function."""

import traceback


def _line(outcome, call, reason=""):
    print("\t".join([outcome, call, " ".join(str(reason).split())]), flush=True)


def works(call):
    """Calls the decorated function at once; what it raises is what failed."""

    def now(work):
        try:
            work()
            _line("ok", call)
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)
            mine = next((frame.lineno for frame in place if frame.name == work.__name__), 0)
            _line("failed", call, f"{type(error).__name__}: {error} (line {mine})")

    return now


def ruled_out(call, reason, refusal):
    """The decorated function must fail in words that contain `refusal`: a reason that no longer holds is a failure, too."""

    def now(work):
        try:
            work()
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            if refusal in said:
                _line("ruled out", call, reason)
            else:
                _line("failed", call, f"expected {refusal}, got {said}")
        else:
            _line("failed", call, f"works, although it is said that {reason}")

    return now


def same(found, expected):
    if found != expected:
        raise AssertionError(f"found {found!r}, expected {expected!r}")


def true(found, what):
    if not found:
        raise AssertionError(what)
