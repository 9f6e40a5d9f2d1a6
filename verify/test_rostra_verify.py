"""python3 -m unittest discover verify"""

import argparse
import base64
import contextlib
import http.server
import io
import json
import os
import re
import tempfile
import threading
import time
import unittest
import unittest.mock

import rostra_verify as verify
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

with open(os.path.join(os.path.dirname(__file__), "../test/fixtures/history-vectors.json"), encoding="utf-8") as opened:
    VECTORS = json.load(opened)
TEXTS = VECTORS["texts"]


class Recorded(verify.Site):
    """A service whose answers are those of a vector; one of entries that has no end was broken off."""

    def __init__(self, answers):
        super().__init__("http://127.0.0.1")
        self.answers = {path: [TEXTS[place] for place in places] for path, places in answers.items()}

    def wait(self, seconds):
        pass

    def now(self):
        return 0

    def older(self, path):
        """The page after an entry, as long as the first one of the vector."""
        whole, _, anchor = path.partition("&after=")
        if not anchor or whole not in self.answers:
            return None
        pages, after = [], ""
        while after is not None:
            pages.append(json.loads(self.answers[f"{whole}{after}"][0])["data"])
            after = pages[-1]["after"] and f"&after={pages[-1]['after']}"
        children = [child for page in pages for child in page["children"]]
        first = next(at for at, child in enumerate(children) if child["data"]["id"] == anchor) + 1
        last = first + len(pages[0]["children"])
        return [json.dumps({"data": {"after": children[last - 1]["data"]["id"] if last < len(children) else None, "children": children[first:last]}})]

    def chunks(self, path, most):
        path = re.sub(r"\?of=\w{16}$|&fresh=\w{16}$", "", path)
        lines = self.answers.get(path) or self.older(path)
        if lines is None:
            raise verify.Missing(f"{path} answers with status 404")
        if "/tile/" in path:
            yield base64.b64decode(lines[0])
            return
        yield "".join(f"{line}\n" for line in lines).encode() if "/entries" in path else "\n".join(lines).encode()
        if "/entries" in path and json.loads(lines[-1])["kind"] != "end":
            raise verify.Unchecked(f"{path} was broken off")


class Vectors(unittest.TestCase):
    def test_each_case_has_its_verdict(self):
        self.assertGreater(len(VECTORS["cases"]), 20)
        for case in VECTORS["cases"]:
            with self.subTest(case["name"]):
                kept = json.loads(TEXTS[case["kept"]])
                code, k, sentence, now = verify.verdict(Recorded(case["answers"]), "tea", kept)
                self.assertEqual({"code": code, "k": k}, case["remote"], sentence)
                if code in (0, 4):
                    self.assertEqual(verify.verdict(Recorded(case["answers"]), "tea", json.loads(json.dumps(now)))[3], now)
                    if kept:
                        self.assertRegex(sentence, r"when you last looked( \(.*\))? are unchanged")
                else:
                    self.assertEqual(now, kept, "what was seen is kept")

    def test_pages_that_differ_from_what_was_signed_are_said_apart_from_logs_that_do(self):
        case = next(case for case in VECTORS["cases"] if case["name"] == "an entry of which people are shown nothing")
        code, k, sentence, now = verify.verdict(Recorded(case["answers"]), "tea", json.loads(TEXTS[case["kept"]]))
        self.assertEqual(code, 4)
        self.assertRegex(
            sentence,
            rf"^The pages of the moderation log of tea are not what was signed at entry {k} \([a-z ]+, \d+ \w+ \d+, \d\d:\d\d UTC\): the service shows people nothing of it\. The record behind the pages is whole: all 11 entries .* hold",
        )
        self.assertEqual(now["heads"].keys(), {"log", "s/t4_tea"}, "what holds is kept")

    def test_pages_that_a_cache_has_kept_are_asked_for_again(self):
        case = next(case for case in VECTORS["cases"] if case["name"] == "the last entry, left out by the pages")
        honest = next(case for case in VECTORS["cases"] if case["name"] == "an honest log that has grown")
        site, fresh = Recorded(case["answers"]), Recorded(honest["answers"])
        read = site.chunks
        site.chunks = lambda path, most: (fresh.chunks if "&fresh=" in path else read)(path, most)
        self.assertEqual(verify.verdict(site, "tea", json.loads(TEXTS[case["kept"]]))[0], 0)

    def test_an_entry_that_nobody_signs_is_not_new_for_ever(self):
        case = next(case for case in VECTORS["cases"] if case["name"] == "an entry that is not signed yet")
        site = Recorded(case["answers"])
        site.now = time.time
        code, k, sentence, _ = verify.verdict(site, "tea", json.loads(TEXTS[case["kept"]]))
        self.assertEqual((code, k), (4, None), sentence)
        self.assertIn("which was not signed within an hour", sentence)

    def test_a_new_origin_counts_only_when_it_is_accepted(self):
        case = next(case for case in VECTORS["cases"] if case["name"] == "a new origin")
        kept = json.loads(TEXTS[case["kept"]])
        site = Recorded(case["answers"])
        code, _, sentence, _ = verify.verdict(site, "tea", kept)
        self.assertEqual(code, 3)
        self.assertIn("does not name the old one at all", sentence)
        overview = json.loads(site.answers["/history"][0])
        for proved, words in ((True, "has signed: what was"), (False, "has signed, and says itself that it could not prove it")):
            # the first of that name counts: whatever follows is of an earlier one
            named = [{"origin": kept["origin"], "checkpoint": "x", "proved": proved}, {"origin": kept["origin"], "checkpoint": "y"}]
            site.answers["/history"] = [json.dumps({**overview, "previous": named})]
            self.assertIn(words, verify.verdict(site, "tea", kept)[2])
        self.assertEqual(verify.verdict(site, "tea", kept, accept="another")[0], 3)
        # the heads are those of the old origin, so the new one does not hold
        self.assertEqual(verify.verdict(site, "tea", kept, accept="tea.example/history/fedcba9876543210")[0], 1)

    def test_paths_and_proofs_of_any_other_size_lead_nowhere(self):
        for one in VECTORS["inclusions"]:
            path = [bytes.fromhex(node) for node in one["path"]]
            root = verify.root_from_path(bytes.fromhex(one["leaf"]), one["index"], one["size"], path)
            self.assertEqual(root is not None and root.hex() == one["root"], one["holds"], one)
        for one in VECTORS["growths"]:
            proof = [bytes.fromhex(node) for node in one["proof"]]
            roots = verify.roots_from_growth(one["size"], one["larger"], bytes.fromhex(one["before"]), proof)
            made = roots is not None and [root.hex() for root in roots] == [one["before"], one["root"]]
            self.assertEqual(made, one["holds"], one)
        for kind in ("inclusions", "growths"):
            self.assertEqual({one["holds"] for one in VECTORS[kind]}, {True, False})


def case_of(name):
    return next(case for case in VECTORS["cases"] if case["name"] == name)


def arguments(**values):
    return argparse.Namespace(**{"heads": None, "expect_heads": False, "accept_origin": None, "every": 0, "run": None, "witness": None, "quorum": 0, **values})


class Memory(unittest.TestCase):
    """What a reader saw is kept by the origin of the log, whatever its address, and never forgotten."""

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.file = os.path.join(self.directory.name, "heads.json")

    def look(self, name, url="http://127.0.0.1", **options):
        recorded = Recorded(case_of(name)["answers"])
        recorded.url = url
        with unittest.mock.patch.object(verify, "Site", lambda *_: recorded):
            return verify.look(arguments(heads=self.file, **options), "tea", url)

    def test_an_address_that_is_new_is_no_first_look(self):
        self.assertIn("for the first time", self.look("an honest log that has grown")[1])
        code, sentence = self.look("an honest log that has grown", "http://localhost")
        self.assertEqual(code, 0)
        self.assertRegex(sentence, r"the 11 that were there when you last looked \(1970-01-01 00:00 UTC\) are unchanged")

    def test_nothing_seen_is_an_error_where_something_is_expected(self):
        code, sentence = self.look("an honest log that has grown", expect_heads=True)
        self.assertEqual(code, 2)
        self.assertIn("has nothing of http://127.0.0.1, though something was expected", sentence)
        self.look("an honest log that has grown")
        self.assertEqual(self.look("an honest log that has grown", expect_heads=True)[0], 0)

    def test_a_file_of_an_earlier_version_is_read(self):
        kept = json.loads(TEXTS[case_of("an honest log that has grown")["kept"]])
        verify.keep(self.file, {"http://127.0.0.1": kept})
        self.assertRegex(self.look("an honest log that has grown")[1], r"the 8 that were there when you last looked are unchanged")
        self.assertEqual(verify.memory_in(self.file)["sites"], {"http://127.0.0.1": kept["origin"]})

    def test_what_was_seen_under_an_origin_stays_when_another_one_is_accepted(self):
        self.look("an honest log that has grown")
        seen = verify.memory_in(self.file)["origins"]
        self.assertEqual(self.look("a new origin")[0], 3)
        self.assertEqual(verify.memory_in(self.file)["origins"], seen)
        accepted = {"origin": "tea.example/history/fedcba9876543210", "names": {}, "old": {next(iter(seen)): next(iter(seen.values()))}}
        entries = verify.Entries("t4_tea")
        entries.ids = [mark.split(" ")[2] for mark in next(iter(seen.values()))["marks"]["t4_tea"][:8]]
        verification = verify.Verification(Recorded({}), "tea", accepted)
        verification.compare_old(entries)
        self.assertIn("3 are gone: the first was entry 8", verification.gone)

    def test_signed_heads_stand_behind_the_words_of_a_finding(self):
        heads = [f"tea.example/log\n{size}\n{'A' * 43}=\n\n\u2014 tea.example/log AAAA\n" for size in (3, 5)]
        words = verify.ended(f"two logs were signed\n{heads[0]}\n{heads[1]}. It said: \"a\". Now it says: \"b\"")
        self.assertEqual(words, f"two logs were signed. It said: \"a\". Now it says: \"b\".\n{heads[0]}\n{heads[1]}".rstrip("\n"))
        self.assertEqual(verify.ended("is this another user?"), "is this another user?")

    def test_a_finding_says_what_an_entry_said_and_says_now(self):
        self.look("an honest log that has grown")
        code, sentence = self.look("the actor changed")
        self.assertEqual(code, 1)
        self.assertRegex(sentence, r'breaks at entry 3 \(.*\): it is not the one that was there\. It said: "account t2_\w+: .*"\. Now it says: "account t2_other: .*"')
        self.assertFalse([name for name in os.listdir(f"{self.file}.entries") if name.endswith(".new")])

    def test_what_two_readers_saw_is_compared(self):
        self.look("an honest log that has grown")
        mine, self.file = self.file, os.path.join(self.directory.name, "other.json")
        self.look("an honest log that has grown")
        findings, common = verify.compared(verify.memory_in(mine), verify.memory_in(self.file), (mine, self.file))
        self.assertEqual((findings, common), ([], 3))
        os.remove(self.file)
        self.look("an act backdated, at the first look")
        # a log that breaks is not kept, so another reader's file is made of a log that holds
        self.file = os.path.join(self.directory.name, "third.json")
        self.look("a rebuild of a forged log, with the key")
        findings, _ = verify.compared(verify.memory_in(mine), verify.memory_in(self.file), (mine, self.file))
        self.assertRegex(findings[0], "^two different logs of 30 entries were signed")
        self.assertRegex(findings[-1], "^entry 3 of t4_tea is not the one that was there")

    def test_watching_ends_with_the_first_finding_and_runs_a_command(self):
        sentences = iter([(0, "holds"), (0, "holds"), (2, "away"), (0, "holds"), (1, "breaks")])
        ran = os.path.join(self.directory.name, "ran")
        with (
            unittest.mock.patch.object(verify, "look", lambda *_: next(sentences)),
            contextlib.redirect_stdout(io.StringIO()) as said,
        ):
            code = verify.watch(arguments(run=f'echo "$ROSTRA_CODE $ROSTRA_FINDING" > {ran}'), "tea", "")
        self.assertEqual(code, 1)
        self.assertEqual([line.split(" UTC ")[1] for line in said.getvalue().splitlines()], ["holds", "away", "holds", "breaks"])
        with open(ran, encoding="utf-8") as opened:
            self.assertEqual(opened.read(), "1 breaks\n")


class Addresses(unittest.TestCase):
    def test_what_people_paste_is_understood(self):
        for site, subsite in (
            ("https://tea.example", "tea"),
            ("https://tea.example", "/s/tea"),
            ("https://tea.example/", "s/tea/"),
            ("https://tea.example/s/tea", None),
            ("https://tea.example/s/tea/about/log?limit=5", None),
            ("tea.example/s/tea", None),
            ("tea.example", "https://tea.example/s/tea/"),
        ):
            url, name = verify.addressed(site, subsite)
            self.assertEqual((url.rstrip("/"), name), ("https://tea.example", "tea"), site)
        self.assertEqual(verify.addressed("localhost:8080", "tea")[0], "http://localhost:8080")


def definition(leaves):
    """RFC 6962, word for word."""
    if len(leaves) == 1:
        return leaves[0]
    split = verify.split_of(len(leaves))
    return verify.node_hash(definition(leaves[:split]), definition(leaves[split:]))


def served(leaves, spoil=None):
    """What reads the tiles of a tree."""
    levels = [leaves]
    while len(levels[-1]) >= 256:
        below = levels[-1]
        levels.append([definition(below[at : at + 256]) for at in range(0, len(below) - 255, 256)])

    def read(path, most):
        level, name = path.split("/tile/")[1].split("/", 1)
        name, _, width = name.partition(".p/")
        first = 256 * int(name.replace("x", "").replace("/", ""))
        data = b"".join(levels[int(level)][first : first + int(width or 256)])
        return bytes(len(data)) if path == spoil else data

    return read


class Keys(unittest.TestCase):
    def test_a_key_signs_no_log_that_is_larger_than_where_it_was_replaced(self):
        name = "tea.example/history/0123456789abcdef"
        old, new = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
        raw = [key.public_key().public_bytes_raw() for key in (old, new)]

        def note(text, of):
            signature = verify.sha256(of.encode() + b"\n\1" + raw[0])[:4] + old.sign(text.encode())
            return f"{text}\n\u2014 {of} {base64.b64encode(signature).decode()}\n"

        written = [base64.b64encode(key).decode() for key in raw]
        handed = note(f"key of {name}\n{written[1]}\n500\n", name)
        keys = verify.keys_of({"keys": [{"key": written[0]}, {"key": written[1], "endorsement": handed}]}, name)

        def head(size):
            return note(f"{name}/log\n{size}\n{base64.b64encode(bytes(32)).decode()}\n", f"{name}/log")

        self.assertEqual(verify.Head(head(500), f"{name}/log", keys).size, 500)
        with self.assertRaisesRegex(verify.Broken, "a key that was replaced"):
            verify.Head(head(501), f"{name}/log", keys)
        with self.assertRaisesRegex(verify.Broken, "is not signed by the one before it"):
            other = note(f"key of {name}\n{written[1]}\n500\nmore\n", name)
            verify.keys_of({"keys": [{"key": written[0]}, {"key": written[1], "endorsement": other}]}, name)


class Trees(unittest.TestCase):
    def test_leaves_and_growth_are_proved_from_tiles_of_every_level(self):
        leaves = [verify.leaf_hash(str(n).encode()) for n in range(66_000)]
        for size in (1, 2, 255, 256, 257, 511, 513, 65_536, 66_000):
            root = definition(leaves[:size])
            self.assertEqual(verify.root_of(leaves[:size]), root)
            tiles = verify.Tiles(served(leaves[:size]), "", size, root)
            for index in {0, size // 2, size - 1}:
                self.assertEqual(tiles.leaf(index), leaves[index])
            for before in {1, max(size // 2, 1), max(size - 1, 1), min(size, 256), size}:
                old = definition(leaves[:before])
                self.assertEqual(verify.roots_from_growth(before, size, old, tiles.growth(before)), (old, root))

    def test_a_spoilt_tile_of_any_level_is_seen(self):
        leaves = [verify.leaf_hash(str(n).encode()) for n in range(1000)]
        root = definition(leaves)
        for spoil in ("/tile/0/000", "/tile/0/003.p/232", "/tile/1/000.p/3"):
            tiles = verify.Tiles(served(leaves, spoil), "", 1000, root)
            with self.assertRaises(verify.Broken):
                tiles.leaf(10)
                tiles.leaf(999)

    def test_tiles_have_the_names_of_c2sp(self):
        asked = []

        def read(path, most):
            asked.append(path)
            return bytes(32 * 256)

        verify.Tiles(read, "/history/log", 10**9, b"").tile(0, 1_234_067)
        self.assertEqual(asked, ["/history/log/tile/0/x001/x234/067"])


@contextlib.contextmanager
def hostile(answer):
    """A service on this machine that answers as it likes."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            try:
                answer(self)
            except OSError:
                pass

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def sends(status=200, body=b"", **headers):
    def answer(handler):
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def endless(handler):
    sends()(handler)
    while True:
        handler.wfile.write(b" " * 65536)


class HostileServices(unittest.TestCase):
    def sentence(self, answer):
        with hostile(answer) as url:
            code, k, sentence, _ = verify.verdict(verify.Site(url), "tea", {})
            self.assertEqual((code, k), (2, None), sentence)
            return sentence

    def test_nothing_that_a_service_sends_is_taken_for_a_verdict(self):
        self.assertIn("redirect", self.sentence(sends(302, Location="http://127.0.0.1:9/")))
        self.assertIn("longer than", self.sentence(endless))
        self.assertIn("status 404", self.sentence(sends(404)))
        self.assertIn("broken off", self.sentence(sends(body=b"{", Content_Length="9")))
        for body in (b"", b"[]", b"{", b"\xff", b'{"a":NaN}', b'{"a":1,"a":1}', b'{"a":' * 100_000):
            self.assertIn("JSON", self.sentence(sends(body=body)))
        self.assertIn("too deep", self.sentence(sends(body=b'{"a":' + b"[" * 40 + b"]" * 40 + b"}")))

    def test_brackets_in_texts_are_no_depth(self):
        self.assertEqual(verify.parsed(b'{"a":"' + b"[" * 100 + b'\\""}'), {"a": "[" * 100 + '"'})

    def test_what_comes_too_slowly_is_given_up(self):
        def slow(handler):
            sends()(handler)
            for _ in range(100):
                handler.wfile.write(b" ")
                time.sleep(0.02)

        with unittest.mock.patch.object(verify, "ANSWER_SECONDS", 0.2):
            self.assertIn("too long", self.sentence(slow))
        with unittest.mock.patch.object(verify, "SILENT_SECONDS", 0.2):
            self.assertIn("timed out", self.sentence(lambda handler: time.sleep(1)))

    def test_limits_are_waited_for(self):
        asked = []

        def limited(handler):
            asked.append(handler.path)
            (sends(429, Retry_After="1") if len(asked) == 1 else sends(404))(handler)

        self.assertIn("status 404", self.sentence(limited))
        self.assertEqual(len(asked), 2)

    def test_a_token_goes_over_https_only(self):
        verify.Site("https://tea.example", "token")
        for url in ("http://tea.example", "ftp://tea.example", "tea.example"):
            with self.assertRaises(verify.Unchecked):
                verify.Site(url, "token")


if __name__ == "__main__":
    unittest.main()
