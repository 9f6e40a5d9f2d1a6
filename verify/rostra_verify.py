#!/usr/bin/env python3
"""Verifies the moderation log of a subsite of a Rostra service, or the log of the site: docs/verifying.md.

    python3 rostra_verify.py https://tea.example tea
    python3 rostra_verify.py https://tea.example --site

Whatever the service sends is taken for hostile. Exit codes: 0, all holds; 1, it does not, and the sentence says at which k;
2, it could not be checked; 3, the service has begun a new record, which a person must accept; 4, all that was signed holds, but the
pages of the log show people more or less than that; 5, fewer witnesses have seen it than were asked for.
"""

import argparse
import base64
import binascii
import collections
import hashlib
import json
import os
import re
import secrets
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

SILENT_SECONDS = 30
ANSWER_SECONDS = 300
ALL_SECONDS = 3600
MAX_SMALL_BYTES = 4 * 2**20
MAX_LINE_BYTES = 4 * 2**20
MAX_PAGE_BYTES = 256 * 2**20
MAX_DEPTH = 32
MAX_ENTRIES = 10_000_000
TILE_WIDTH = 256
TILES_IN_MEMORY = 256
HEAD_WAIT_SECONDS = 3
HEAD_TRIES = 5
MAX_WAIT_SECONDS = 60
LISTED_PAGES = 10
MAX_NEW_ENTRIES = 100
MAX_UNSIGNED_SECONDS = 3600


class Broken(Exception):
    """Something does not hold, perhaps from an entry on."""

    def __init__(self, problem, k=None):
        super().__init__(problem)
        self.k = k


class Unchecked(Exception):
    """Nothing could be said."""


class Missing(Unchecked):
    """The service has nothing at an address."""


class Unshown(Exception):
    """The pages of the log do not show what was signed, perhaps of one entry."""

    def __init__(self, problem, k=None):
        super().__init__(problem)
        self.k = k


class Unwitnessed(Exception):
    """Fewer witnesses than were asked for have seen what is signed."""


class NewOrigin(Exception):
    """The service has begun anew; no earlier head binds it."""


# --- hash trees, as in RFC 6962 ---


def sha256(data):
    return hashlib.sha256(data).digest()


def leaf_hash(record):
    return sha256(b"\0" + record)


def node_hash(left, right):
    return sha256(b"\1" + left + right)


def split_of(count):
    """The largest power of two below a count of two or more."""
    return 1 << (count - 1).bit_length() - 1


class Growing:
    """A tree in memory, as the roots of its complete parts."""

    def __init__(self):
        self.size = 0
        self.nodes = []

    def push(self, leaf):
        rest = self.size
        while rest & 1:
            leaf = node_hash(self.nodes.pop(), leaf)
            rest >>= 1
        self.nodes.append(leaf)
        self.size += 1

    def root(self):
        if not self.nodes:
            return sha256(b"")
        hashed = self.nodes[-1]
        for node in reversed(self.nodes[:-1]):
            hashed = node_hash(node, hashed)
        return hashed


def root_of(leaves):
    tree = Growing()
    for leaf in leaves:
        tree.push(leaf)
    return tree.root()


def root_from_path(leaf, index, size, path):
    """The root to which a path leads; None if it has another length than it must (RFC 9162, 2.1.3.2)."""
    at, last, hashed = index, size - 1, leaf
    for sibling in path:
        if last == 0:
            return None
        if at & 1 or at == last:
            hashed = node_hash(sibling, hashed)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            hashed = node_hash(hashed, sibling)
        at, last = at >> 1, last >> 1
    return hashed if last == 0 and index < size else None


def roots_from_growth(size, larger, root, proof):
    """Both roots that a proof of consistency gives; None if it has another length than it must (RFC 9162, 2.1.4.2)."""
    if size == larger:
        return None if proof else (root, root)
    hashes = list(proof) if size & (size - 1) else [root, *proof]
    if not 0 < size < larger or not hashes:
        return None
    at, last = size - 1, larger - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    small = large = hashes[0]
    for sibling in hashes[1:]:
        if last == 0:
            return None
        if at & 1 or at == last:
            small, large = node_hash(sibling, small), node_hash(sibling, large)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            large = node_hash(large, sibling)
        at, last = at >> 1, last >> 1
    return (small, large) if last == 0 else None


class Tiles:
    """A tree that the service keeps in tiles: no hash of them counts unless it leads to the root of a signed head."""

    def __init__(self, read, path, size, root):
        self.read, self.path, self.size, self.root = read, path, size, root
        self.tiles, self.proved = {}, {}

    def tile(self, level, index):
        known = self.tiles.get((level, index))
        if known is not None:
            return known
        width = min(TILE_WIDTH, (self.size >> 8 * level) - index * TILE_WIDTH)
        number, name = index, f"{index % 1000:03}"
        while number >= 1000:
            number //= 1000
            name = f"x{number % 1000:03}/{name}"
        name += "" if width == TILE_WIDTH else f".p/{width}"
        data = self.read(f"{self.path}/tile/{level}/{name}", 32 * width + 1)
        if len(data) != 32 * width:
            raise Broken(f"the tile {level}/{name} has not {width} hashes")
        layers = [[data[at : at + 32] for at in range(0, len(data), 32)]]
        while len(layers[-1]) > 1:
            below = layers[-1]
            layers.append([node_hash(below[at], below[at + 1]) for at in range(0, len(below) - 1, 2)])
        if len(self.tiles) >= TILES_IN_MEMORY:
            self.tiles.pop(next(iter(self.tiles)))
        self.tiles[(level, index)] = layers
        return layers

    def over(self, start, end):
        """The hash over the leaves from one to before another, as the tiles have it."""
        count = end - start
        if count & (count - 1) == 0:
            height = count.bit_length() - 1
            level, layer = divmod(height, 8)
            node = start >> height
            tile = node >> 8 - layer
            return self.tile(level, tile)[layer][node - (tile << 8 - layer)]
        middle = start + split_of(count)
        return node_hash(self.over(start, middle), self.over(middle, end))

    def path_to(self, first, last):
        """The path from the leaves of a tile to the root."""
        path, start, end = [], 0, self.size
        while not (first <= start and end <= last):
            middle = start + split_of(end - start)
            if first < middle:
                path.append(self.over(middle, end))
                end = middle
            else:
                path.append(self.over(start, middle))
                start = middle
        return path[::-1]

    def leaf(self, index):
        """A leaf that is proved to be in the tree."""
        number = index // TILE_WIDTH
        if number not in self.proved:
            first, last = number * TILE_WIDTH, min((number + 1) * TILE_WIDTH, self.size)
            leaves = self.tile(0, number)[0]
            tiles = -(-self.size // TILE_WIDTH)
            if root_from_path(root_of(leaves), number, tiles, self.path_to(first, last)) != self.root:
                raise Broken(f"what the service shows of the events from {first} is not what it signed")
            if len(self.proved) >= TILES_IN_MEMORY:
                self.proved.clear()
            self.proved[number] = leaves
        return self.proved[number][index % TILE_WIDTH]

    def growth(self, size):
        """The proof that the tree of a smaller size is the beginning of this one."""

        def ranges(start, end, whole):
            if size == end:
                return [] if whole else [(start, end)]
            middle = start + split_of(end - start)
            if size <= middle:
                return [*ranges(start, middle, whole), (middle, end)]
            return [*ranges(middle, end, False), (start, middle)]

        return [self.over(*found) for found in ranges(0, self.size, True)]

    def check_growth(self, before, head, leaves):
        """This tree, of a head, begins with that of an earlier one."""
        if before and before.size and roots_from_growth(before.size, head.size, before.root, self.growth(before.size)) != (before.root, head.root):
            raise Broken(
                f"the record of {head.size} {leaves} does not continue the one of {before.size} that was signed and seen before: it was changed\n{before.note}\n{head.note}"
            )


# --- signed notes and checkpoints, as C2SP has them ---


def decoded(text, length=None):
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError, TypeError):
        raise Broken("what should be base64 is not") from None
    if (length is not None and len(data) != length) or base64.b64encode(data).decode() != text:
        raise Broken("what should be base64 of a certain length is not")
    return data


def note_text(note, name, key):
    """The text of a note that a key has signed under a name; else None."""
    text, found, signatures = note.rpartition("\n\n")
    text += "\n"
    key_id = sha256(name.encode() + b"\n\1" + key)[:4]
    for line in signatures.split("\n") if found else []:
        mark, _, signature = line.rpartition(" ")
        if mark != f"\u2014 {name}":
            continue
        data = decoded(signature)
        if data[:4] != key_id:
            continue
        try:
            Ed25519PublicKey.from_public_bytes(key).verify(data[4:], text.encode())
            return text
        except InvalidSignature:
            continue
    return None


class Head:
    """A signed head of a tree."""

    def __init__(self, note, name, keys):
        if not isinstance(note, str) or len(note) > MAX_SMALL_BYTES:
            raise Broken("the service shows nothing that is signed")
        for self.key, key in reversed(list(enumerate(keys))):
            text = note_text(note, name, key)
            if text is not None:
                break
        else:
            raise Broken("what the service shows is not signed by its key")
        lines = text.split("\n")
        if len(lines) != 4 or lines[0] != name or not re.fullmatch("0|[1-9][0-9]{0,14}", lines[1]):
            raise Broken("what is signed is of another log")
        self.name, self.note, self.size, self.root = name, note, int(lines[1]), decoded(lines[2], 32)
        self.until = getattr(keys[self.key], "until", None)
        if name.endswith("/log") and self.until is not None and self.size > self.until:
            raise Broken("it is signed by a key that was replaced before there were so many events")


# --- witnesses: C2SP tlog-cosignatures ---

Witness = collections.namedtuple("Witness", "name key")


def witness_in(text):
    """A witness from its key, as it hands it out: name+hash+base64."""
    found = re.fullmatch(r"([^\s+]{1,200})\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})", text.rpartition("#")[2])
    data = base64.b64decode(found[3]) if found else b""
    if len(data) != 33 or data[0] != 4 or sha256(found[1].encode() + b"\n" + data)[:4].hex() != found[2]:
        raise Unchecked(f"{text} is not the key of a witness: name+hash+base64, as it prints when it starts")
    return Witness(found[1], data[1:])


def cosigned_at(note, witness):
    """The time, in seconds, at which a witness says that it saw a checkpoint; None if it does not."""
    text, _, signatures = note.rpartition("\n\n")
    key_id = sha256(witness.name.encode() + b"\n\4" + witness.key)[:4]
    times = []
    for line in signatures.split("\n"):
        mark, _, signature = line.rpartition(" ")
        if mark != f"\u2014 {witness.name}":
            continue
        data = decoded(signature)
        if data[:4] != key_id or len(data) != 76:
            continue
        seconds = int.from_bytes(data[4:12], "big")
        try:
            Ed25519PublicKey.from_public_bytes(witness.key).verify(data[12:], f"cosignature/v1\ntime {seconds}\n{text}\n".encode())
            times.append(seconds)
        except InvalidSignature:
            continue
    return max(times, default=None)


NOTE = re.compile("\n[^\n]+\n\\d+\n[A-Za-z0-9+/=]{44}\n\n(?:\u2014 [^\n]+\n)+")


def ended(words):
    """A sentence with its full stop, and the signed heads in it at the end, where they part no words."""
    heads = "".join(NOTE.findall(words)).rstrip("\n")
    words = NOTE.sub("", words)
    return f"{words}{'' if words.endswith('?') else '.'}{heads}"


def in_words(seconds):
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(min(seconds, 2**38)))


def follow(before, head):
    """Refuse a head that cannot follow one that was seen before, whatever the tree is."""
    if before is None:
        return
    if head.size == before.size and head.root != before.root:
        raise Broken(f"two different logs of {head.size} entries are signed: the service shows one to you and has shown another\n{before.note}\n{head.note}")
    if head.size < before.size:
        raise Broken(f"it has {head.size} entries, but {before.size} were signed and seen before: the end is cut off", head.size)
    if head.key < before.key:
        raise Broken("it is signed by a key that was replaced before you last looked")


# --- what the service sends ---


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Site:
    """Reads from one service, a bounded number of bytes in a bounded time."""

    def __init__(self, url, token=None):
        address = urllib.parse.urlsplit(url)
        if address.scheme not in ("http", "https") or not address.hostname or address.query or address.fragment:
            raise Unchecked(f"{url} is not the address of a service")
        if token and address.scheme == "http" and address.hostname not in ("localhost", "127.0.0.1", "::1"):
            raise Unchecked("a token is sent over https only")
        self.url = url.rstrip("/")
        self.headers = {"User-Agent": "rostra-verify/1", **({"Authorization": f"bearer {token}"} if token else {})}
        self.open = urllib.request.build_opener(NoRedirect).open
        self.end = time.monotonic() + ALL_SECONDS

    def now(self):
        return time.time()

    def wait(self, seconds):
        if time.monotonic() + seconds > self.end:
            raise Unchecked(f"it took more than {ALL_SECONDS} seconds")
        time.sleep(seconds)

    def answer(self, path):
        """What the service sends, as soon as its limits allow it."""
        while True:
            try:
                return self.open(urllib.request.Request(self.url + path, headers=self.headers), timeout=SILENT_SECONDS)
            except urllib.error.HTTPError as error:
                if error.code != 429:
                    raise
                after = error.headers.get("Retry-After", "")
                self.wait(min(max(int(after), 1), MAX_WAIT_SECONDS) if re.fullmatch("[0-9]{1,6}", after) else HEAD_WAIT_SECONDS)

    def chunks(self, path, most):
        try:
            with self.answer(path) as answer:
                end = min(self.end, time.monotonic() + ANSWER_SECONDS)
                total = 0
                while chunk := answer.read1(65536):
                    total += len(chunk)
                    if total > most:
                        raise Unchecked(f"{path} is longer than {most} bytes")
                    if time.monotonic() > end:
                        raise Unchecked(f"{path} takes too long")
                    yield chunk
                if answer.length:
                    raise Unchecked(f"{path} was broken off")
        except urllib.error.HTTPError as error:
            what = "a redirect, which is not followed" if 300 <= error.code < 400 else f"status {error.code}"
            kind = Missing if error.code == 404 else Unchecked
            raise kind(f"{self.url}{path} answers with {what}") from None
        except (OSError, ValueError, urllib.error.URLError) as error:
            raise Unchecked(f"{self.url}{path} could not be read: {error}") from None
        except Exception as error:  # http.client has exceptions of its own kind for answers that are none
            if isinstance(error, (Unchecked, Broken)):
                raise
            raise Unchecked(f"{self.url}{path} could not be read: {type(error).__name__}") from None

    def read(self, path, most=MAX_SMALL_BYTES):
        return b"".join(self.chunks(path, most))

    def lines(self, path):
        held = b""
        for chunk in self.chunks(path, MAX_PAGE_BYTES):
            *whole, held = (held + chunk).split(b"\n")
            yield from whole
            if len(held) > MAX_LINE_BYTES:
                raise Unchecked(f"{path} has a line of more than {MAX_LINE_BYTES} bytes")
        if held:
            yield held


def unique(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member stands twice")
    return members


def no_constant(name):
    raise ValueError(f"{name} is no number")


def parsed(data):
    """An object from JSON that is not too deep."""
    try:
        if data.count(b"[") + data.count(b"{") > MAX_DEPTH:
            depth = 0
            for bracket in re.findall(rb'[\[{\]}]', re.sub(rb'"(?:[^"\\]|\\.)*"', b"", data)):
                depth += 1 if bracket in b"[{" else -1
                if depth > MAX_DEPTH:
                    raise ValueError("it is too deep")
        value = json.loads(data.decode("utf-8"), object_pairs_hook=unique, parse_constant=no_constant)
    except (ValueError, RecursionError) as error:
        raise Unchecked(f"the service sends no JSON that can be read: {error}") from None
    if not isinstance(value, dict):
        raise Unchecked("the service sends JSON that is no object")
    return value


def text_in(value, pattern, what, k=None):
    if not isinstance(value, str) or not re.fullmatch(pattern, value):
        raise Broken(f"{what} is not what it must be", k)
    return value


def number_in(value, what, k=None):
    if type(value) is not int or not 0 <= value < 2**53:
        raise Broken(f"{what} is no number", k)
    return value


NAME = "[A-Za-z0-9._:/\\[\\]~%@-]{1,500}"


class Key(bytes):
    """A key, and the size of the log up to which it signs heads: about where it was replaced."""

    until = None


def keys_of(overview, origin):
    """The keys of an origin, each signed by the one before it."""
    listed = overview.get("keys")
    if not isinstance(listed, list) or not 0 < len(listed) <= 1000 or not all(isinstance(key, dict) for key in listed):
        raise Broken("the service names no keys")
    keys = [Key(decoded(key.get("key"), 32)) for key in listed]
    for at in range(1, len(keys)):
        text = f"key of {origin}\n{base64.b64encode(keys[at]).decode()}\n"
        note = listed[at].get("endorsement")
        signed = note_text(note, origin, keys[at - 1]) if isinstance(note, str) else None
        if signed is None or not signed.startswith(text) or not re.fullmatch("([0-9]{1,15}\n)?", signed[len(text) :]):
            raise Broken(f"key {at} of {origin} is not signed by the one before it")
        if signed != text:
            keys[at - 1].until = int(signed[len(text) :])
    return keys


# --- entries ---


def compact(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


# An event as it was committed to: its leaf, its id and type, the values of its fields that are opened, as JSON, and the texts that are.
Committed = collections.namedtuple("Committed", "leaf record values k texts", defaults=({},))


def whole_event(event, k):
    """An event of the log of the site: its leaf is made of all of it, which admins read."""
    text = event.get("record") if isinstance(event, dict) else None
    if not isinstance(text, str):
        raise Broken("it has no event", k)
    leaf, stored = leaf_hash(text.encode("utf-8", "surrogatepass")), parsed(text.encode("utf-8", "surrogatepass"))
    if decoded(event.get("leaf"), 32) != leaf:
        raise Broken("its leaf is not that of its record", k)
    if stored.get("id") != event.get("id") or stored.get("type") != event.get("type"):
        raise Broken("its id or type is not that of its record", k)
    parts = {f"{part}.{name}": json.dumps(value) for part in ("data", "meta") for name, value in dict(stored.get(part) or {}).items()}
    return Committed(leaf, {"id": stored["id"], "type": stored["type"]}, parts, k)


def committed_event(event, of, k):
    """An event from its fields, each of which is as it was committed to."""
    if of == SITE:
        return whole_event(event, k)
    if not isinstance(event, dict) or not isinstance(event.get("fields"), list) or len(event["fields"]) > 1000:
        raise Broken("it has no event", k)
    commitments, values = {}, {}
    for field in event["fields"]:
        if not isinstance(field, dict):
            raise Broken("a field of it is none", k)
        name = text_in(field.get("name"), r"(data|meta)\.[A-Za-z0-9_]{1,100}|revision|stream", "the name of a field", k)
        commitment = text_in(field.get("commitment"), "[0-9a-f]{64}", f"the commitment to {name}", k)
        if name in commitments:
            raise Broken(f"it has {name} twice", k)
        commitments[name] = commitment
        if "salt" in field or "value" in field:
            salt = text_in(field.get("salt"), "[0-9a-f]{32}", f"the salt of {name}", k)
            value = field.get("value")
            if not isinstance(value, str) or sha256((salt + value).encode("utf-8", "surrogatepass")).hex() != commitment:
                raise Broken(f"its {name} is not the value that was committed to", k)
            values[name] = value
    record = {
        "fields": commitments,
        "id": text_in(event.get("id"), "[0-9a-f-]{36}", "its id", k),
        "type": text_in(event.get("type"), "[A-Za-z]{1,100}", "its type", k),
    }
    if values.get("data.subsite") != f'"{of}"':
        raise Broken("it is of another subsite, or does not say of which", k)
    for name in ("meta.at", "meta.by"):
        if name not in values:
            raise Broken(f"it does not show {name}", k)
    leaf = leaf_hash(compact(record))
    if decoded(event.get("leaf"), 32) != leaf:
        raise Broken("its leaf is not that of its fields", k)
    return Committed(leaf, record, values, k)


SITE = "site"
SITE_ACTIONS = {
    "suspenduser": "AccountSuspended",
    "unsuspenduser": "AccountUnsuspended AccountSuspensionExpired",
    "eraseuser": "AccountErased",
    "erasemessage": "MessageErased",
    "grantcredits": "CreditsGranted",
    "givegold": "GoldGiven ThingGilded",
    "addadmin": "AdminGranted",
    "removeadmin": "AdminRevoked",
}
# The event types of each action; a type that is not here is of a later version of the service.
ACTIONS = {
    "banuser": "UserBanned BanChanged BanNoteChanged",
    "unbanuser": "UserUnbanned BanExpired",
    "removelink": "LinkRemoved LinkErased",
    "approvelink": "LinkApproved",
    "removecomment": "CommentRemoved CommentErased",
    "approvecomment": "CommentApproved",
    "addmoderator": "ModeratorAdded",
    "invitemoderator": "ModeratorInvited",
    "uninvitemoderator": "ModeratorInvitationWithdrawn",
    "acceptmoderatorinvite": "ModeratorInvitationAccepted",
    "removemoderator": "ModeratorRemoved",
    "addcontributor": "ContributorAdded",
    "removecontributor": "ContributorRemoved",
    "editsettings": "SubsiteSettingChanged ImageUploaded ImageDeleted ImageErased",
    "editflair": "UserFlairChanged LinkFlairChanged FlairSettingChanged FlairTemplateAdded FlairTemplateChanged FlairTemplateDeleted FlairTemplatesCleared",
    "distinguish": "LinkDistinguished CommentDistinguished",
    "marknsfw": "LinkMarkedNsfw LinkUnmarkedNsfw",
    "wikibanned": "UserWikiBanned WikiBanChanged WikiBanNoteChanged",
    "wikicontributor": "WikiContributorAdded",
    "wikiunbanned": "UserWikiUnbanned WikiBanExpired",
    "wikipagelisted": "WikiPageListingChanged",
    "removewikicontributor": "WikiContributorRemoved",
    "wikirevise": "SubsiteSettingChanged StylesheetSaved WikiPageRevised WikiRevisionHidden WikiRevisionUnhidden WikiRevisionErased",
    "wikipermlevel": "WikiPagePermlevelChanged WikiEditorAdded WikiEditorRemoved",
    "ignorereports": "LinkReportsIgnored CommentReportsIgnored",
    "unignorereports": "LinkReportsUnignored CommentReportsUnignored",
    "setpermissions": "ModeratorPermissionsChanged",
    "setsuggestedsort": "LinkSortSuggested",
    "sticky": "LinkStickied CommentStickied",
    "unsticky": "LinkUnstickied CommentUnstickied",
    "setcontestmode": "LinkContestModeSet",
    "unsetcontestmode": "LinkContestModeUnset",
    "lock": "LinkLocked",
    "unlock": "LinkUnlocked",
    "muteuser": "UserMuted MuteNoteChanged",
    "unmuteuser": "UserUnmuted MuteExpired",
    "createrule": "RuleCreated",
    "editrule": "RuleEdited RulesReordered",
    "deleterule": "RuleDeleted",
}
# Of changes of which the stored event has both values as they are shown: the field, and where the event has what was before and after.
CHANGES = {
    "LinkSortSuggested": ("suggested_sort", "before", "after"),
    "ModeratorAdded": ("permissions", "invitation", "permissions"),
    "ModeratorInvited": ("permissions", None, "permissions"),
    "ModeratorInvitationAccepted": ("permissions", None, "permissions"),
    "ModeratorPermissionsChanged": ("permissions", "before", "after"),
    "ModeratorInvitationWithdrawn": ("permissions", "permissions", None),
    "ModeratorRemoved": ("permissions", "permissions", None),
    "WikiPagePermlevelChanged": ("permlevel", "before", "after"),
    "WikiPageListingChanged": ("listed", None, "listed"),
    **{type: ("until", "previousUntil", "until") for type in ("UserBanned", "BanChanged", "UserWikiBanned", "WikiBanChanged", "UserMuted")},
    "AccountSuspended": ("until", None, "until"),
    "CreditsGranted": ("credits", None, "balance"),
    "GoldGiven": ("months", None, "months"),
}
# Where an event has the target of its entry, if neither in `target` nor in `account`.
TARGETS = {"MessageErased": "message", "GoldGiven": "to", "ThingGilded": "thing"}
ABSENT = object()


MAX_TEXT_BYTES = 2048


def as_shown(value):
    """A value of a change: of a longer text its size and hash."""
    data = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else b""
    return {"bytes": len(data), "sha256": sha256(data).hex()} if len(data) > MAX_TEXT_BYTES else value


def is_same(shown, stored):
    return shown == stored and isinstance(shown, bool) == isinstance(stored, bool)


# --- texts, which are sealed in the events: beside each stands what it was committed to by ---

COMMITTED_FORMS = (3, 4)
COMMITMENT_AT = 1 + 6 + 6 + 12
ERASED = "[erased]"
SHORT_TEXT = 80


def commitment_in(sealed):
    """The commitment in a sealed text, in hexadecimal; None in one of an earlier version, which has none."""
    try:
        data = base64.urlsafe_b64decode(sealed + "=" * (-len(sealed) % 4))
    except (binascii.Error, ValueError, TypeError):
        return None
    return data[COMMITMENT_AT : COMMITMENT_AT + 32].hex() if data[:1] and data[0] in COMMITTED_FORMS and len(data) > COMMITMENT_AT + 32 else None


def value_at(data, path):
    """What stands at a path such as `target.title`; ABSENT if nothing does."""
    for name in path.split("."):
        data = data[name] if isinstance(data, dict) and name in data else ABSENT
    return data


def opened_data(values):
    return {name[5:]: json.loads(value) for name, value in values.items() if name.startswith("data.")}


def opened_texts(listed, values):
    """The texts of an entry, each of which is the one that was committed to; Differs for one that is not."""
    texts, data = {}, opened_data(values)
    for one in listed if isinstance(listed, list) and len(listed) <= 100 else []:
        name = one.get("name") if isinstance(one, dict) else None
        if not isinstance(name, str) or not name.startswith("data."):
            continue
        salt, text, commitment = one.get("salt"), one.get("text"), commitment_in(value_at(data, name[5:]))
        if commitment is None or not isinstance(text, str) or not isinstance(salt, str) or not re.fullmatch("[0-9a-f]{32}", salt):
            continue
        if sha256(bytes.fromhex(salt) + text.encode("utf-8", "surrogatepass")).hex() != commitment:
            raise Differs(f"{name[5:]} is not the text that was committed to")
        texts[name[5:]] = text
    return texts


# --- what people read of an entry ---


class Differs(Exception):
    """What people read of an entry is not what was committed to."""


class Withheld(Exception):
    """It cannot be compared: what it is made of is not shown to this reader, or was recorded by an earlier version."""


SEALED = {
    **{type: ("reason",) for type in ("SubsiteSettingChanged", "StylesheetSaved", "WikiPageRevised")},
    **{type: ("text", "before.text") for type in ("UserFlairChanged", "LinkFlairChanged")},
}
SEALED_ANYWHERE = ("target.title", "target.excerpt", "note", "before.note")
SETTING_PAGES = {
    "description": "Updated subsite sidebar",
    "public_description": "Updated subsite description",
    "submit_text": "Updated submission text",
}
WIKI_PAGES = {"config/sidebar": "Updated subsite sidebar", "config/description": "Updated subsite description", "config/submit_text": "Updated submission text"}
WITH_NOTES = ("banuser", "wikibanned", "muteuser")


class Said:
    """What an event says, field by field: Withheld for a field that is there and not opened."""

    def __init__(self, committed):
        self.type, self.texts, self.data = committed.record["type"], committed.texts, opened_data(committed.values)
        fields = committed.record.get("fields", {})
        self.closed = {name[5:] for name in fields if name.startswith("data.") and name not in committed.values}

    def has(self, name, other=None):
        if name in self.closed:
            raise Withheld
        return self.data.get(name, other)

    def text(self, path, other=None):
        """A sealed text: the one that was committed to."""
        if path.split(".")[0] in self.closed:
            raise Withheld
        sealed = value_at(self.data, path)
        if sealed is ABSENT:
            return other
        if path in self.texts:
            return self.texts[path]
        raise Withheld


def term(said):
    return "permanent" if said.has("until") is None else f"{said.has('days', 0)} days"


def details_of(said):
    """The details and the description that an entry has, as functions, so that one of them may be withheld."""
    type, has, text = said.type, said.has, said.text
    nothing = lambda: None
    if type in ("LinkRemoved", "CommentRemoved"):
        return lambda: ("confirm_spam" if has("before") else "spam") if has("spam") else "remove", nothing
    if type in ("LinkApproved", "CommentApproved"):
        return lambda: "unspam" if has("before") else "confirm_ham", nothing
    if type in ("LinkErased", "CommentErased"):
        return lambda: "erase", lambda: has("reason")
    if type == "ImageErased":
        return lambda: "erase_image", lambda: has("reason")
    if type in ("LinkDistinguished", "CommentDistinguished"):
        return lambda: "remove" if has("after") is None else None, nothing
    if type in ("LinkUnstickied", "CommentUnstickied"):
        return lambda: "replaced" if has("reason") == "replaced" else None, nothing
    if type == "SubsiteSettingChanged":
        page = SETTING_PAGES.get(has("setting"))
        return (lambda: has("setting"), nothing) if page is None else (lambda: page, lambda: text("reason"))
    if type in ("RuleCreated", "RuleEdited", "RuleDeleted"):
        return lambda: has("name"), nothing
    if type == "RulesReordered":
        return lambda: "reordered", lambda: ", ".join(has("after"))
    if type in ("ImageUploaded", "ImageDeleted"):
        act = "upload_image" if type == "ImageUploaded" else "del"
        if has("use") != "img":
            return lambda: f"{act}_{has('use')}", nothing
        return lambda: "upload_image" if act == "upload_image" else "del_image", lambda: has("name")
    if type == "StylesheetSaved":
        return lambda: "Updated subsite stylesheet", lambda: text("reason")
    if type == "WikiPageRevised":
        if has("reverts") is None:
            return lambda: WIKI_PAGES.get(has("page"), f"Page {has('page')} edited"), lambda: text("reason")
        return lambda: "revert", lambda: ", ".join(part for part in (f"Page {has('page')}", text("reason")) if part)
    if type in ("WikiRevisionHidden", "WikiRevisionUnhidden"):
        return lambda: "hide" if type == "WikiRevisionHidden" else "unhide", lambda: f"Page {has('page')}, revision {has('revision')}"
    if type == "WikiRevisionErased":
        return lambda: "erase", lambda: f"Page {has('page')}, revision {has('revision')}: {has('reason')}"
    if type == "WikiPageListingChanged":
        return nothing, lambda: f"{'Relisted' if has('listed') else 'Delisted'} page {has('page')}"
    if type == "WikiPagePermlevelChanged":
        return nothing, lambda: f"Page {has('page')}: level {has('before')} to {has('after')}"
    if type in ("WikiEditorAdded", "WikiEditorRemoved"):
        return lambda: f"alloweditor_{'add' if type == 'WikiEditorAdded' else 'del'}", lambda: f"Page {has('page')}"
    if type == "ModeratorPermissionsChanged":
        return lambda: "permission_moderator_invite" if has("invitation") else "permission_moderator", lambda: has("after")
    if type == "ModeratorRemoved":
        return lambda: "remove_self" if has("left") else None, nothing
    if type == "UserFlairChanged":

        def flair():
            if has("cleared") or (has("css") == "" and text("text", "") == ""):
                return "flair_delete"
            return "flair_csv" if has("csv") else "flair_edit"

        return flair, nothing
    if type in ("UserBanned", "UserWikiBanned"):
        return lambda: term(said), lambda: text("note")
    if type in ("BanChanged", "WikiBanChanged"):
        return lambda: f"changed to {term(said)}", lambda: text("note")
    if type in ("BanNoteChanged", "WikiBanNoteChanged", "MuteNoteChanged"):
        return lambda: "changed note", lambda: text("note")
    if type == "UserMuted":
        return nothing, lambda: text("note")
    if type in ("BanExpired", "WikiBanExpired", "MuteExpired"):
        return nothing, lambda: "was temporary"
    if type == "MessageErased":
        return nothing, lambda: has("reason")
    fixed = {
        "LinkUnmarkedNsfw": "remove",
        "LinkFlairChanged": "flair_edit",
        "FlairTemplateAdded": "flair_template",
        "FlairTemplateChanged": "flair_template",
        "FlairTemplateDeleted": "flair_delete_template",
        "FlairTemplatesCleared": "flair_clear_template",
    }
    if type == "FlairSettingChanged":
        return lambda: has("setting"), nothing
    return lambda: fixed.get(type), nothing


def differences(before, after):
    """The changes of some fields from one state to another, each either of which may lack."""
    changes = []
    for field in {**before, **after}:
        one, other = before.get(field, ABSENT), after.get(field, ABSENT)
        if one is ABSENT or other is ABSENT or not is_same(one, other):
            changes.append((field, None if one is ABSENT else one, None if other is ABSENT else other))
    return changes


def template_in(data):
    return {"text": data["text"], "css_class": data["css"], "text_editable": data["editable"]} if data else {}


def listed_changes(said):
    """The changes of rules and templates of flair, whole; None for other acts."""
    type, has = said.type, said.has
    if type == "RuleCreated":
        return differences({}, {"short_name": has("name"), "description": has("description"), "kind": has("kind")})
    if type == "RuleEdited":
        # what an earlier version did not record is nothing, and differs from what is there
        names = (("short_name", "before", "name"), ("description", "previousDescription", "description"), ("kind", "previousKind", "kind"))
        changes = []
        for field, before, after in names:
            one, other = has(before, ABSENT), has(after, ABSENT)
            changes += differences({} if one is ABSENT else {field: one}, {} if other is ABSENT else {field: other})
        return changes
    if type == "RuleDeleted":
        return differences({"short_name": has("name"), **(has("before") or {})}, {})
    if type == "RulesReordered":
        return [("order", has("before"), has("after"))]
    if type == "FlairTemplateAdded":
        return differences({}, template_in({name: has(name) for name in ("text", "css", "editable")}))
    if type == "FlairTemplateChanged":
        return differences(template_in(has("before")), template_in({name: has(name) for name in ("text", "css", "editable")}))
    if type == "FlairTemplateDeleted":
        return differences(template_in(has("before")), {})
    if type == "FlairTemplatesCleared":
        return [] if has("templates") is None else [("templates", len(has("templates")), 0)]
    return None


def shortened(text):
    """A text in one line, of which the end is left out if it is long."""
    line = " ".join(str(text).split())
    return line if len(line) <= SHORT_TEXT else f"{line[:SHORT_TEXT]}…"


def check_text(said, shown, path, what):
    """A text that is shown is the one that was committed to; returns whether that could be compared."""
    if shown is None or shown == ERASED:
        return shown is None
    try:
        recorded = said.text(path)
        if recorded == shown:
            return True
        instead = f', recorded was "{shortened(recorded)}"'
    except Withheld:
        # a service opens the text that it shows: another one than was committed to it cannot open
        if commitment_in(value_at(said.data, path)) is None:
            return False
        instead = ""
    raise Differs(f'{what}: people read "{shortened(shown)}"{instead}')


def check_words(entry, said):
    """The words of an entry are those of its event; returns what of them could not be compared."""
    uncompared = []
    closed_page = "page" in said.closed
    for what, expected in zip(("details", "description"), details_of(said) if not closed_page else ()):
        shown = entry.get(what)
        if shown is None and what == "description" and entry["action"] in WITH_NOTES:
            continue
        try:
            if shown not in (expected() or None, ERASED):
                raise Differs(f"the {what}")
        except Withheld:
            if shown is not None:
                uncompared.append(what)
    if closed_page:
        uncompared.append("page")
    for name, path in (("target_title", "target.title"), ("target_body", "target.excerpt")):
        if not check_text(said, entry.get(name), path, "the title" if name == "target_title" else "the excerpt"):
            uncompared.append("text")
    try:
        listed = None if closed_page else listed_changes(said)
        if listed is not None:
            shown = [(one["field"], one["before"], one["after"]) for one in entry["changes"]]
            expected = [(field, as_shown(before), as_shown(after)) for field, before, after in listed]
            if len(shown) != len(expected) or not all(is_same(a, b) for one, other in zip(shown, expected) for a, b in zip(one, other)):
                raise Differs("the changes")
    except Withheld:
        uncompared.append("changes")
    if said.type in ("UserFlairChanged", "LinkFlairChanged"):
        for one in entry["changes"]:
            if one["field"] == "text":
                for side, path in (("before", "before.text"), ("after", "text")):
                    if not check_text(said, one[side] or None, path, "the text of the flair"):
                        uncompared.append("text")
            elif one["field"] == "css_class" and "css" not in said.closed and not is_same(one["after"], said.data.get("css")):
                raise Differs("the class of the flair")
    for one in entry["changes"]:
        if one["field"] == "note" and any(one[side] not in (None, ERASED) for side in ("before", "after")):
            for side, path in (("before", "before.note"), ("after", "note")):
                if not check_text(said, one[side], path, "the note"):
                    uncompared.append("text")
    return uncompared


def check_facts(entry, said, committed, of):
    """Who acted, when, on what, and how: never withheld from those who read the log, except of pages of the wiki that are closed to them."""
    record, values, type, closed = committed.record, committed.values, said.type, said.closed
    at, account = json.loads(values["meta.at"]), json.loads(values["meta.by"])["account"]
    if entry["id"] != f"ModAction_{record['id']}" or entry["created_utc"] != at // 1000:
        raise Differs("id or time")
    if entry["mod_id36"] != (account[3:] if account is not None else None) or (account is None and entry.get("mod", "[service]") != "[service]"):
        raise Differs("the moderator")
    if of not in (None, SITE) and entry.get("sr_id36", of[3:]) != of[3:]:
        raise Differs("the subsite")
    for actions in (ACTIONS, SITE_ACTIONS):
        if any(type in types.split(" ") for types in actions.values()) and type not in actions.get(entry["action"], "").split(" "):
            raise Differs("the action")
    if type == "SubsiteSettingChanged" and entry["action"] != ("wikirevise" if said.has("setting") in SETTING_PAGES else "editsettings"):
        raise Differs("the action")
    if closed & {"target", "account", "setting"}:
        raise Differs("what was acted on, which is not opened")
    data = said.data
    target = data["target"]["id"] if "target" in data else data.get(TARGETS.get(type, "account"))
    shows_none = type == "ModeratorInvitationAccepted"
    if target is not None and entry["target_fullname"] != (None if shows_none else target):
        raise Differs("the target")
    if type in ("SubsiteSettingChanged", "FlairSettingChanged"):
        for side in ("before", "after"):
            shown = entry["changes"][0][side]
            if shown is not None if side in closed else side in data and not is_same(shown, as_shown(data[side])):
                raise Differs(f"the change of {data['setting']}")
        if entry["changes"][0]["field"] != data["setting"]:
            raise Differs("the setting")
        return
    field, *places = CHANGES.get(type, ("", None, None))
    shown = next((one for one in entry["changes"] if one["field"] == field), None)
    for side, place in zip(("before", "after"), places):
        stored = data.get(place, ABSENT) if place else ABSENT
        if place in closed and shown is not None and shown[side] is not None:
            raise Differs(f"the change of {field}, which is not opened")
        if stored is ABSENT or (shown is None and field == "until"):
            continue
        if field == "until":
            stored = "permanent" if stored is None else stored // 1000
        if shown is None or not is_same(shown[side], stored):
            raise Differs(f"the change of {field}")


def check_wording(entry, committed, of=None):
    """What people read of an entry says what was committed to; returns what of it could not be compared."""
    if entry is None:
        return []
    try:
        said = Said(committed)
        check_facts(entry, said, committed, of)
        return check_words(entry, said)
    except Differs as error:
        differs = str(error)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, Withheld):
        differs = "what should be there"
    raise Unshown(f"what people read of it is not what was recorded: {differs}", committed.k)


def occurrence(type, at):
    """An act in words: `link removed, 28 November 2026, 07:08 UTC`."""
    words = re.sub("([a-z])([A-Z])", r"\1 \2", type).lower()
    when = time.gmtime(min(max(at // 1000, 0), 2**38))
    return f"{words}, {when.tm_mday} {MONTHS[when.tm_mon - 1]} {when.tm_year}, {when.tm_hour:02}:{when.tm_min:02} UTC"


MONTHS = "January February March April May June July August September October November December".split(" ")


def kept_line(k, n, entry, committed):
    """What is kept of an entry, to say later what has changed in it."""
    said = {name: entry.get(name) for name in ("action", "mod", "target_fullname", "target_author", "details", "description", "changes")} if entry else {}
    return compact(
        {
            **{"k": k, "n": n, "id": committed.record["id"], "type": committed.record["type"]},
            **{"at": json.loads(committed.values["meta.at"]), "by": json.loads(committed.values["meta.by"])["account"]},
            **said,
        }
    )


class Entries:
    """The leaves of a moderation log, entry by entry."""

    def __init__(self, of, lines=None, binding_from=None):
        self.of, self.tree, self.roots, self.lines, self.binding_from = of, Growing(), {}, lines, binding_from
        self.leaves, self.events, self.numbers, self.ids, self.acts = [], [], [], [], []
        # the leaves in the tree of the whole log, and how many of them bind this log up to their entry
        self.in_log, self.bound = [], 0
        # the first difference of what people read, and how many of the words could not be compared
        self.unshown, self.uncompared = None, collections.Counter()

    def add(self, line):
        k = self.tree.size
        if line.get("kind") == "unreadable":
            raise Broken("the service itself cannot read it", number_in(line.get("k"), "the k of an entry", k))
        if line.get("kind") != "entry":
            raise Broken("what follows is no entry", k)
        if line.get("k") != k or type(line.get("k")) is not int:
            raise Broken(f"the entry that follows says it is {line.get('k')!r:.40}", k)
        n = number_in(line.get("n"), "its n", k)
        if self.numbers and n <= self.numbers[-1]:
            raise Broken(f"it is event {n}, but the entry before it is event {self.numbers[-1]}", k)
        try:
            committed = committed_event(line.get("event"), self.of, k)
        except Broken as error:
            raise Broken(str(error), k) from None
        if committed.record["id"] in self.known():
            raise Broken("it is an event that the log has already", k)
        self.read_words(line, committed)
        self.events.append(committed.leaf)
        self.numbers.append(n)
        self.ids.append(committed.record["id"])
        self._known.add(committed.record["id"])
        self.acts.append((committed.record["type"], json.loads(committed.values["meta.at"])))
        self.leaves.append(leaf_hash(compact({"event": committed.leaf.hex(), "k": k, "n": n})))
        self.tree.push(self.leaves[-1])
        self.in_log.append(self.leaf_in_log(n, committed.leaf))
        if self.lines:
            self.lines.write(kept_line(k, n, line.get("entry"), committed))
        return committed

    def leaf_in_log(self, n, event):
        """The leaf of the last entry in the tree of the whole log: it holds the tree of this log, too, unless an earlier version made it."""
        if self.binding_from is None or n < self.binding_from:
            return event
        self.bound += 1
        return leaf_hash(compact({"event": event.hex(), "root": self.tree.root().hex(), "size": self.tree.size}))

    def known(self):
        if not hasattr(self, "_known"):
            self._known = set()
        return self._known

    def read_words(self, line, committed):
        """What people read of an entry; the first difference is kept, since the log itself is to be proved all the same."""
        try:
            texts = opened_texts(line.get("texts"), committed.values)
            self.uncompared.update(set(check_wording(line.get("entry"), committed._replace(texts=texts), self.of)))
        except Differs as error:
            self.unshown = self.unshown or Unshown(f"what people read of it is not what was recorded: {error}", committed.k)
        except Unshown as error:
            self.unshown = self.unshown or error

    def marks(self):
        """What is kept to say later which entry has changed: it proves nothing, heads do."""
        return [f"{n} {event.hex()[:16]} {id}" for n, event, id in zip(self.numbers, self.events, self.ids)]

    def place(self, k):
        """An entry in words."""
        act = f" ({occurrence(*self.acts[k])})" if k < len(self.acts) else ""
        return f"entry {k}{act}"


def mark_of(mark):
    """The number and the hash of an event in a mark; earlier versions kept no id beside them."""
    return mark.split(" ")[:2]


def first_change(before, now):
    """Where the marks of entries differ from those that were kept, and how."""
    for k, (one, other) in enumerate(zip(before, now)):
        if mark_of(one) == mark_of(other):
            continue
        old, new = ([mark_of(mark)[1] for mark in marks[k : k + 2]] for marks in (before, now))
        if old[0] == new[0]:
            how = "is now another event of the log by number: something before it was added or is missing there"
        elif len(old) > 1 and len(new) > 1 and old == new[::-1]:
            how = "and the one after it have changed places"
        elif new[0] == old[-1] and len(old) > 1:
            how = "is missing: the one after it stands in its place"
        elif old[0] == new[-1] and len(new) > 1:
            how = "is one that was not there before: an entry was put in"
        else:
            how = "is not the one that was there"
        return k, how
    return None


def said_by(line):
    """What a kept line says, in words."""
    who = line.get("mod") or (f"account {line['by']}" if line.get("by") else "the service")
    target, author = line.get("target_fullname"), line.get("target_author")
    # an account is its own author
    on, of = (f" on {author}", "") if author and str(target).startswith("t2_") else (target and f" on {target}" or "", author and f" by {author}" or "")
    details = f" ({line['details']})" if line.get("details") else ""
    return f"{who}: {occurrence(line['type'], line['at'])}{on}{of}{details}"


def changed_words(old, new):
    """What two kept lines of one place say otherwise."""
    if old is None or new is None:
        return ""
    try:
        return f'. It said: "{said_by(old)}". Now it says: "{said_by(new)}"'
    except (KeyError, TypeError, ValueError, OverflowError):
        return ""


# --- what is kept of each entry: a line in a file beside that of the heads ---


class KeptLines:
    """Lines of the entries of one log: those of the last look, and those of this one, which take their place if it holds."""

    def __init__(self, directory, origin, of):
        name = sha256(f"{origin}/{of}".encode()).hex()[:24]
        self.file = os.path.join(directory, f"{name}.ndjson")
        self.beside = None

    def write(self, line):
        if self.beside is None:
            os.makedirs(os.path.dirname(self.file), mode=0o700, exist_ok=True)
            self.beside = open(f"{self.file}.new", "wb")
        self.beside.write(line + b"\n")

    def line(self, k, is_new=False):
        """The line of an entry; None if there is none."""
        try:
            if self.beside:
                self.beside.flush()
            with open(f"{self.file}.new" if is_new else self.file, "rb") as opened:
                for at, line in enumerate(opened):
                    if at == k:
                        return json.loads(line)
        except (OSError, ValueError):
            pass
        return None

    def keep(self):
        if self.beside:
            self.beside.flush()
            os.fsync(self.beside.fileno())
            self.beside.close()
            os.replace(f"{self.file}.new", self.file)
            self.beside = None

    def drop(self):
        if self.beside:
            self.beside.close()
            self.beside = None
            os.remove(f"{self.file}.new")


# --- the verification ---

LISTED_ENTRIES = 500
UNCOMPARED = {
    "text": "texts that are not shown to you or were written under an earlier version",
    "details": "details that you may not read whole",
    "description": "reasons that you may not read whole",
    "changes": "changes that you may not read whole",
    "page": "names of pages of the wiki that only moderators read",
}


class Verification:
    def __init__(self, site, subsite, kept, accept=None, lines=None, witnesses=(), quorum=0):
        """`subsite`: its name; None for the log of the site. `lines`: the directory of what is kept of each entry."""
        self.site, self.subsite, self.kept, self.accept, self.directory = site, subsite, kept, accept, lines
        self.witnesses, self.quorum = witnesses, quorum
        quoted = urllib.parse.quote(subsite or "", safe="")
        self.base, self.listing = ("/history/site", "/api/v1/site/log") if subsite is None else (f"/history/s/{quoted}", f"/s/{quoted}/about/log")
        self.log = log_named(subsite)
        self.fresh = ""
        self.entries = None
        self.newer = 0
        self.gone = ""

    def keys(self):
        """The origin and its keys, which continue those that were seen before."""
        overview = parsed(self.site.read("/history"))
        origin = text_in(overview.get("origin"), NAME, "the name of the origin")
        before = self.kept.get("origin")
        keys = keys_of(overview, origin)
        self.binding_from = overview.get("binding_from")
        if self.binding_from is not None:
            number_in(self.binding_from, "the number of the first event that binds a log")
        if before not in (None, origin) and self.accept != origin:
            raise NewOrigin(self.of_old_origin(before, origin, overview))
        if before not in (None, origin):
            own = {name: value for name, value in self.kept.items() if name not in ("old", "origin")}
            self.kept = {"origin": origin, "names": self.kept.get("names", {}), "old": {**self.kept.get("old", {}), before: own}}
        elif before is None:
            self.kept = {**self.kept, "origin": origin}
        seen_from = self.kept.get("binding_from")
        if seen_from not in (None, self.binding_from):
            raise Broken(f"the events of the service bound its logs from event {seen_from} on when you last looked, and now from {self.binding_from} on")
        seen = [decoded(key, 32) for key in self.kept.get("keys", [])]
        if keys[: len(seen)] != seen:
            raise Broken("the keys of the service are not the ones that were seen before")
        return origin, keys

    def of_old_origin(self, before, origin, overview):
        """What the service says of the origin that was trusted."""
        name = f"{before}/log"
        keys = [decoded(key, 32) for key in self.kept.get("keys", [])]
        kept = self.kept.get("heads", {}).get("log")
        words = "does not name the old one at all"
        listed = overview.get("previous")
        for old in listed if isinstance(listed, list) else []:
            if not isinstance(old, dict) or old.get("origin") != before:
                continue
            try:
                last, seen = Head(old.get("checkpoint"), name, keys), kept and Head(kept, name, keys).size
                words = f"says that the old one ended after {last.size} events; you saw {seen}"
            except Broken:
                words = "names an end of the old one that none of the keys you know has signed"
            if old.get("proved") is False:
                words += ", and says itself that it could not prove it, as where the key was lost"
            break
        return f"the service has begun a new record, {origin}, in place of {before}, and {words}: what was proved before binds it no longer. What you saw stays in your file"

    def compare_old(self, entries):
        """Which entries that were seen under earlier origins are not there any more."""
        gone = 0
        first = None
        ids = set(entries.ids)
        for old in self.kept.get("old", {}).values():
            marks = old.get("marks", {}).get(entries.of, [])
            for k, mark in enumerate(marks):
                id = mark.split(" ")[2:]
                if id and id[0] not in ids:
                    gone += 1
                    first = k if first is None else first
        if gone:
            self.gone = f" Of the entries that you saw before the service began a new record, {gone} {'is' if gone == 1 else 'are'} gone: the first was entry {first}."

    def tiles(self, base, head):
        """The tiles of a tree, by addresses of this origin alone: a cache in front may have those of the one before it, for ever."""
        of = sha256(head.name.encode()).hex()[:16]
        return Tiles(lambda path, most: self.site.read(f"{path}?of={of}", most), base, head.size, head.root)

    def kept_head(self, of, origin, keys):
        note = self.kept.get("heads", {}).get(of)
        return note and Head(note, f"{origin}/{of}", keys)

    def pages(self):
        """The lines of all pages, with the head that each page begins with."""
        start, size, problem = 0, None, None
        while size is None or start < size:
            path = f"{self.base}/entries?from={start}"
            before = start
            try:
                lines = self.site.lines(path)
                head = parsed(next(lines, b"{}"))
                if head.get("kind") != "head":
                    raise Unchecked(f"{path} does not begin as it must")
                size = yield "head", head
                for data in lines:
                    line = parsed(data)
                    if line.get("kind") == "end" or start >= size:
                        break
                    yield "entry", line
                    start += 1
            except Unchecked as error:
                if size is None:
                    raise
                problem = error
            # a connection may fail once; what is not shown when asked for first is not to be had
            if start == before and start < size:
                raise Broken(f"the service does not show it{problem and f' ({problem})' or ''}", start)

    def read_entries(self, origin, keys):
        """All entries up to the head of the first page, and that head; in lockstep with them the pages that people read."""
        first = entries = before = unfit = listed = None
        pages = self.pages()
        kind, line = next(pages)
        try:
            while True:
                if kind == "head":
                    note = line.get("checkpoint")
                    known = SITE if self.subsite is None else self.kept.get("names", {}).get(self.subsite.lower())
                    if note is None and f"s/{known}" in self.kept.get("heads", {}):
                        raise Broken("nothing of it is signed any more, but you saw that it was", 0)
                    if note is None:
                        raise Unchecked(f"nothing of {self.log} is signed yet: nothing was done there, or only in the last minute")
                    if entries is None:
                        line_of = note.split("\n")[0] if isinstance(note, str) else None
                        of = text_in(line_of, re.escape(origin) + "/s/(t4_[0-9a-z_]{1,40}|site)", "the name of the log").rpartition("/")[2]
                        if known not in (None, of) or (of == SITE) != (self.subsite is None):
                            raise Broken(f"{self.log} was that of {known} before, and is that of {of} now")
                        lines = KeptLines(self.directory, origin, of) if self.directory else None
                        entries = self.entries = Entries(of, lines, self.binding_from)
                        listed = Listed(self, entries)
                        before = self.kept_head(f"s/{of}", origin, keys)
                    head = Head(note, f"{origin}/s/{entries.of}", keys)
                    try:
                        follow(first or before, head)
                    except Broken as error:
                        unfit = unfit or error
                    first = first or head
                    if first.size > MAX_ENTRIES:
                        raise Unchecked(f"{first.size} entries are more than this program reads")
                    kind, line = pages.send(first.size)
                    continue
                listed.add(line, entries.add(line))
                if before and entries.tree.size == before.size:
                    entries.roots[before.size] = entries.tree.root()
                kind, line = next(pages)
        except StopIteration:
            pass
        except Broken as error:
            self.name_change(entries, error=error)
            raise
        if unfit:
            change = first_change(self.kept.get("marks", {}).get(entries.of, []), entries.marks())
            raise Broken(str(unfit) + self.said_at(entries, change), change[0] if change else unfit.k)
        self.check_root(entries, first, before)
        listed.end()
        self.newer = listed.newer
        return entries, first, before

    def said_at(self, entries, change):
        """What an entry that was changed said, and what it says now."""
        if not change or not entries.lines:
            return ""
        return changed_words(entries.lines.line(change[0]), entries.lines.line(change[0], True))

    def name_change(self, entries, more="", error=None):
        """Say which entry is another than before, if that is earlier than what was found else."""
        if entries is None:
            return
        change = first_change(self.kept.get("marks", {}).get(entries.of, []), entries.marks())
        if change and (error is None or error.k is None or change[0] < error.k):
            raise Broken(f"it {change[1]}{self.said_at(entries, change)}{more}", change[0])

    def check_root(self, entries, head, before):
        fits_before = before is None or before.size == 0 or entries.roots.get(before.size) == before.root
        if fits_before and entries.tree.root() == head.root:
            return
        # both are signed: nobody but the holder of the key can have made the later one
        both = f"; another log was signed in place of the first\n{before.note}\n{head.note}" if entries.tree.root() == head.root else ""
        self.name_change(entries, both)
        if not fits_before:
            raise Broken(f"one of the first {before.size} entries is not the one that was there{both}")
        tiles = self.tiles(self.base, head)
        for k, leaf in enumerate(entries.leaves):
            if tiles.leaf(k) != leaf:
                raise Broken("it is not the one that was recorded", k)
        raise Broken("the entries are not those that were signed")

    def log_head(self, origin, keys, n):
        """A head of the log that covers an event: signed after that of the subsite."""
        for _ in range(HEAD_TRIES):
            note = self.site.read("/history/log/checkpoint").decode("utf-8", "replace")
            head = Head(note, f"{origin}/log", keys)
            if head.size > n:
                return head
            self.site.wait(HEAD_WAIT_SECONDS)
        raise Broken(f"only {head.size} events of the whole service are signed, but there is an entry of event {n}")

    def check_log(self, origin, keys, entries):
        before = self.kept_head("log", origin, keys)
        head = self.log_head(origin, keys, entries.numbers[-1] if entries.numbers else -1)
        try:
            follow(before, head)
        except Broken as error:
            raise Broken(f"of the whole service: {error}") from None
        tiles = self.tiles("/history/log", head)
        tiles.check_growth(before, head, "events")
        if self.head.until is not None and entries.numbers and entries.numbers[-1] >= self.head.until:
            raise Broken("it is signed by a key that was replaced before its last entry", entries.tree.size - 1)
        for k, (n, leaf) in enumerate(zip(entries.numbers, entries.in_log)):
            if tiles.leaf(n) != leaf:
                bound = self.binding_from is not None and n >= self.binding_from
                raise Broken(f"its event{', with the log up to it,' if bound else ''} is not event {n} of the whole service", k)
        return head

    def seen_by(self, origin, keys, log, entries):
        """Which of the witnesses have seen the log, when, and up to where, in a sentence; as many as were asked for must have."""
        if not self.witnesses:
            return ""
        must = max((n for n, (_, at) in zip(entries.numbers, entries.acts) if self.site.now() - at / 1000 > MAX_UNSIGNED_SECONDS), default=-1) if entries else -1
        for tries in range(HEAD_TRIES):
            if tries > 0:
                self.site.wait(HEAD_WAIT_SECONDS)
            note = parsed(self.site.read("/history")).get("cosigned")
            seen = []
            if note is not None:
                head = Head(note, f"{origin}/log", keys)
                smaller, larger = (head, log) if head.size <= log.size else (log, head)
                self.tiles("/history/log", larger).check_growth(smaller, larger, "events")
                if smaller.size == larger.size:
                    follow(smaller, larger)
                seen = [(witness.name, at) for witness in self.witnesses for at in [cosigned_at(note, witness)] if at is not None]
            if len(seen) >= self.quorum and (not self.quorum or head.size > must):
                break
        else:
            late = f", and nothing after event {head.size - 1}" if note is not None and len(seen) >= self.quorum else ""
            raise Unwitnessed(f"{len(seen)} of the {self.quorum} witnesses that you ask for have seen it{late}: others may be shown another log")
        if not seen:
            return " None of the witnesses that you named has seen it."
        return f" Also seen by {', '.join(f'{name} on {in_words(at)}' for name, at in seen)}, up to event {head.size - 1}."

    def check_new(self, name, entry, entries):
        """An entry that people read and no head covers is numbered after those that it does."""
        try:
            proof = parsed(self.site.read(f"/history/proof/{name}?raw_json=1"))
        except Unchecked:
            raise Unshown(f"the pages show {name}, which is not in the log") from None
        if number_in(proof.get("k"), f"the k of {name}") < entries.tree.size:
            raise Unshown(f"the pages show {name} in another place than the log has it", proof["k"])
        committed = committed_event(proof.get("event"), entries.of, proof["k"])
        if committed.record["id"] != name[10:]:
            raise Unshown(f"the pages show {name}, of which the service proves another event")
        try:
            texts = opened_texts(proof.get("texts"), committed.values)
        except Differs as error:
            raise Unshown(f"the pages show {name}, of which {error}") from None
        check_wording(entry, committed._replace(texts=texts), entries.of)
        if self.site.now() - json.loads(committed.values["meta.at"]) / 1000 > MAX_UNSIGNED_SECONDS:
            raise Unshown(f"the pages show {name}, which was not signed within an hour")

    def counted(self):
        """What everybody may check of the log of the site: its head, that it continues the one seen before, and that as many entries are counted."""
        if self.quorum:
            raise Unchecked("a quorum of witnesses is asked for with the token of an admin, who reads the entries")
        origin, keys = self.keys()
        for _ in range(HEAD_TRIES):
            try:
                note = self.site.read("/history/site/checkpoint").decode("utf-8", "replace")
            except Missing:
                if "s/site" in self.kept.get("heads", {}):
                    raise Broken("nothing of it is signed any more, but you saw that it was", 0) from None
                raise Unchecked("nothing of the log of the site is signed yet: no admin has done anything that it records, or only in the last minute") from None
            head = Head(note, f"{origin}/s/site", keys)
            before = self.kept_head("s/site", origin, keys)
            follow(before, head)
            tiles = self.tiles(self.base, head)
            tiles.check_growth(before, head, "entries")
            counts = parsed(self.site.read("/api/v1/site/log_counts"))
            many = sum(number_in(count, f"the count of {action}") for action, count in counts.items())
            if many == head.size:
                kept = self.to_keep(origin, keys, {"s/site": head.note})
                since = f", of which {before.size} were there when you last looked{self.last_look()}" if before else ""
                return f"The log of the site has {many} entries, as many as were signed{since}. Only admins read them: what is in them was not checked.", kept, None
            self.site.wait(MAX_WAIT_SECONDS / (HEAD_TRIES - 1))
        raise Unshown(f"{many} entries are counted, but {head.size} are signed")

    def last_look(self):
        seen = self.kept.get("seen")
        return f" ({seen})" if isinstance(seen, str) else ""

    def to_keep(self, origin, keys, heads):
        return {
            **self.kept,
            "origin": origin,
            "keys": [base64.b64encode(key).decode() for key in keys],
            **({} if self.binding_from is None else {"binding_from": self.binding_from}),
            "heads": {**self.kept.get("heads", {}), **heads},
            "seen": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(self.site.now())),
        }

    def run(self):
        """What holds, in a sentence, what to keep, and how what people read differs from it."""
        if self.subsite is None and "Authorization" not in self.site.headers:
            return self.counted()
        origin, keys = self.keys()
        entries, head, before = self.read_entries(origin, keys)
        self.head = head
        log = self.check_log(origin, keys, entries)
        self.compare_old(entries)
        seen = self.seen_by(origin, keys, log, entries)
        first = "; you look for the first time" + (" since the service began a new record" if self.kept.get("old") else "")
        since = f"; the {before.size} that were there when you last looked{self.last_look()} are unchanged" if before else first
        kept = {
            **self.to_keep(origin, keys, {"log": log.note, f"s/{entries.of}": head.note}),
            "names": {**self.kept.get("names", {}), **({self.subsite.lower(): entries.of} if self.subsite is not None else {})},
            "marks": {**self.kept.get("marks", {}), entries.of: entries.marks()},
        }
        if entries.lines:
            entries.lines.keep()
        newer = f"; {self.newer} newer {'one is' if self.newer == 1 else 'ones are'} not signed yet" if self.newer else ""
        hold = f"The only entry of {self.log} holds: it" if head.size == 1 else f"All {head.size} entries of {self.log} hold: each"
        holds = f"{hold} is signed in its place, and is among the {log.size} events of the whole service{since}{newer}."
        return holds + seen + self.gone + self.not_compared(entries), kept, entries.unshown

    def not_compared(self, entries):
        """What of what people read was not compared with what was signed; it is always said."""
        more = [f"{UNCOMPARED[what]} ({count})" for what, count in sorted(entries.uncompared.items())]
        if entries.binding_from is None and entries.tree.size:
            more.append("whether others are shown the same log, which no event of the whole service binds yet")
        return f" Not compared: {', '.join(['names of accounts and subsites, and addresses made of them', *more])}."


class Listed:
    """The pages of a log as people read them, which are read in lockstep with its entries: a part of them at a time."""

    def __init__(self, verification, entries):
        self.verification, self.entries, self.site = verification, entries, verification.site
        self.pending = []
        self.whole = True
        self.newer = 0

    def add(self, line, committed):
        if self.verification.subsite is None or line.get("entry") is not None:
            self.pending.append((committed.k, f"ModAction_{committed.record['id']}", line.get("entry"), committed))
        else:
            self.pending.append((committed.k, f"ModAction_{committed.record['id']}", self.later(committed), committed))
        if len(self.pending) > LISTED_ENTRIES:
            part, self.pending = self.pending[:-1], self.pending[-1:]
            self.compare(part, self.pending[0][1])

    def later(self, committed):
        """An entry that the service shows a moment later: what people read may follow the log some seconds later."""
        for tries in range(HEAD_TRIES):
            if tries > 0:
                self.site.wait(HEAD_WAIT_SECONDS)
            _, line, *_ = [*(parsed(data) for data in self.site.lines(f"{self.verification.base}/entries?from={committed.k}")), {}, {}]
            if line.get("entry") is not None:
                if committed_event(line.get("event"), self.entries.of, committed.k).leaf != committed.leaf:
                    raise Broken("it is another event than a moment ago", committed.k)
                self.entries.read_words(line, committed)
                return line["entry"]
        self.differ(Unshown("the service shows people nothing of it", committed.k))
        return None

    def differ(self, error):
        """The first difference is kept; after one the pages are not read on."""
        self.whole = False
        self.entries.unshown = self.entries.unshown or error

    def older(self, anchor):
        """The entries of the pages from after one, newest first, page by page; whether more follow is the last of all."""
        after = f"&after={urllib.parse.quote(anchor, safe='')}" if anchor else ""
        for _ in range(LISTED_PAGES):
            path = f"{self.verification.listing}?limit={LISTED_ENTRIES}&raw_json=1{after}{self.verification.fresh}"
            try:
                data = parsed(self.site.read(path, MAX_PAGE_BYTES))["data"]
                for child in data["children"]:
                    entry = child["data"]
                    text_in(isinstance(entry, dict) and entry.get("id"), "ModAction_[0-9a-f-]{36}", "the id of an entry on the pages")
                    yield entry
                after = data["after"] and f"&after={urllib.parse.quote(data['after'], safe='')}"
            except (KeyError, TypeError) as error:
                raise Unchecked(f"the pages of {self.verification.log} cannot be read ({type(error).__name__})") from None
            if not after:
                return
        yield None

    def tried(self, check):
        """Whether the pages are as they must be, if need be a moment later: a cache may have older ones."""
        if not self.whole:
            return
        for tries in range(HEAD_TRIES):
            if tries > 0:
                self.site.wait(HEAD_WAIT_SECONDS)
                # not from a cache in front, which may have older pages
                self.verification.fresh = f"&fresh={secrets.token_hex(8)}"
            try:
                return check()
            except Unshown as error:
                found = error
        self.differ(found)

    def compare(self, part, anchor):
        """The pages have these entries, oldest first, just before an entry, in their order and with the same words."""
        self.tried(lambda: self.check_part(part, self.older(anchor)))

    def check_part(self, part, children):
        known = {name for _, name, _, _ in part}
        for k, name, shown, committed in reversed(part):
            entry = next(children, ABSENT)
            if entry is None:
                raise Unshown(f"{LISTED_PAGES} pages do not come to it", k)
            if entry is ABSENT:
                raise Unshown("the pages do not show it", k)
            if entry["id"] != name:
                never = "" if entry["id"][10:] in self.entries.known() else ", which was never signed"
                raise Unshown("the pages do not show it in its place" if entry["id"] in known else f"the pages show {entry['id']} in its place{never}", k)
            self.check_same(shown, entry, committed)
        if not part or part[0][0] == 0:
            more = next(children, ABSENT)
            if more not in (ABSENT, None):
                how = "a second time" if more["id"][10:] in self.entries.known() else "before all others, which was never signed"
                raise Unshown(f"the pages show {more['id']} {how}", 0)

    def check_same(self, shown, entry, committed):
        if self.verification.subsite is None or shown is None:
            check_wording(entry, committed, self.entries.of)
        elif not same_json(shown, entry):
            names = [name for name in {**shown, **entry} if not same_json(shown.get(name), entry.get(name))]
            raise Unshown(f"the pages show it otherwise than the service proves it: {', '.join(sorted(names))}", committed.k)

    def end(self):
        """The last entries, after those that are not signed yet."""
        if not self.pending:
            return
        *part, last = self.pending
        self.tried(lambda: self.check_last(last))
        if part:
            self.compare(part, last[1])
        elif last[0] == 0:
            self.compare([], last[1])

    def check_last(self, last):
        k, name, shown, committed = last
        new = []
        for entry in self.older(None):
            if entry is None or len(new) > MAX_NEW_ENTRIES:
                break
            if entry["id"] == name:
                self.check_same(shown, entry, committed)
                for one in new:
                    self.verification.check_new(one["id"], one, self.entries)
                self.newer = len(new)
                return
            if entry["id"][10:] in self.entries.known():
                break
            new.append(entry)
        raise Unshown("the pages do not show it in its place", k)


def same_json(one, other):
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def log_named(subsite):
    return "the log of the site" if subsite is None else f"the moderation log of {subsite}"


def verdict(site, subsite, kept, accept=None, lines=None, witnesses=(), quorum=0):
    """The exit code, the k at which it breaks, a sentence, and what to keep from now on."""
    log = log_named(subsite)
    verification = Verification(site, subsite, kept, accept, lines, witnesses, quorum)

    def place(error):
        if error.k is None:
            return ""
        return f" at {verification.entries.place(error.k) if verification.entries else f'entry {error.k}'}"

    try:
        sentence, kept, unshown = verification.run()
        if unshown is None:
            return 0, None, sentence, kept
        return 4, unshown.k, f"The pages of {log} are not what was signed{place(unshown)}: {unshown}. The record behind the pages is whole: {sentence[0].lower()}{sentence[1:]}", kept
    except Unshown as error:
        return 4, error.k, f"The pages of {log} are not what was signed{place(error)}: {error}.", kept
    except Broken as error:
        return 1, error.k, ended(f"{log[0].upper()}{log[1:]} breaks{place(error)}: {error}"), kept
    except Unwitnessed as error:
        return 5, None, f"NOT WITNESSED: what is signed of {log} holds, but {error}.", kept
    except NewOrigin as error:
        return 3, None, f"NEW RECORD: {error}.", kept
    except Missing as error:
        words = f"{site.url} has no subsite {subsite}: look at the spelling" if verification.base in str(error) else str(error)
        return 2, None, f"Nothing could be checked: {words}.", kept
    except Unchecked as error:
        return 2, None, ended(f"Nothing could be checked: {error}"), kept
    except Exception as error:  # whatever it is, it must not look like a verdict
        return 2, None, f"Nothing could be checked: the service sends what cannot be understood ({type(error).__name__}).", kept
    finally:
        if verification.entries and verification.entries.lines:
            verification.entries.lines.drop()


# --- the file of what was seen ---

VERSION = 2


def memory_in(file):
    """What was seen so far, by origin, and which origin each address had; files of earlier versions are read as well."""
    try:
        with open(file, encoding="utf-8") as opened:
            kept = json.load(opened)
    except FileNotFoundError:
        return {"version": VERSION, "sites": {}, "origins": {}}
    except ValueError as error:
        raise Unchecked(f"{file} cannot be read: {error}") from None
    if not isinstance(kept, dict):
        raise Unchecked(f"{file} is not one of this program")
    if "version" in kept:
        if kept["version"] != VERSION or not all(isinstance(kept.get(part), dict) for part in ("sites", "origins")):
            raise Unchecked(f"{file} is of another version of this program")
        return kept
    if not all(isinstance(one, dict) and isinstance(one.get("origin"), str) for one in kept.values()):
        raise Unchecked(f"{file} is not one of this program")
    return {"version": VERSION, "sites": {url: one["origin"] for url, one in kept.items()}, "origins": {one["origin"]: one for one in kept.values()}}


def seen_of(memory, url, site):
    """What was seen of the service at an address: under the origin that it had there, or, at an address that is new, that it has."""
    origin = memory["sites"].get(url)
    if origin is None:
        overview = parsed(site.read("/history"))
        listed = overview.get("previous")
        names = [overview.get("origin"), *(old.get("origin") for old in (listed if isinstance(listed, list) else []) if isinstance(old, dict))]
        origin = next((name for name in names if isinstance(name, str) and name in memory["origins"]), None)
    return memory["origins"].get(origin, {})


def remember(memory, url, kept):
    """Nothing that was seen of an earlier origin is forgotten."""
    origin = kept["origin"]
    return {**memory, "sites": {**memory["sites"], url: origin}, "origins": {**memory["origins"], origin: kept}}


def keep(file, kept):
    os.makedirs(os.path.dirname(os.path.abspath(file)), mode=0o700, exist_ok=True)
    with open(f"{file}.new", "w", encoding="utf-8") as opened:
        json.dump(kept, opened, indent=1)
        opened.flush()
        os.fsync(opened.fileno())
    os.replace(f"{file}.new", file)


def default_file():
    """Where what was seen is kept: in the directory of the user's configuration."""
    home = os.environ.get("APPDATA") if os.name == "nt" else os.environ.get("XDG_CONFIG_HOME")
    return os.path.join(home or os.path.join(os.path.expanduser("~"), ".config"), "rostra-verify", "heads.json")


def memory_of(options):
    """What was seen so far, and the file that it goes into."""
    file = options.heads or default_file()
    if options.heads is None and not os.path.exists(file) and os.path.exists("rostra-heads.json"):
        # where earlier versions kept it
        return memory_in("rostra-heads.json"), file
    return memory_in(file), file


# --- two readers ---


def compared(one, other, names):
    """How what two readers saw differs, in sentences; none if nothing does."""
    findings, common = [], 0
    for origin in one["origins"].keys() & other["origins"].keys():
        a, b = one["origins"][origin], other["origins"][origin]
        for of in sorted(a.get("heads", {}).keys() & b.get("heads", {}).keys()):
            heads = [reader["heads"][of].split("\n") for reader in (a, b)]
            common += 1
            if heads[0][1] == heads[1][1] and heads[0][2] != heads[1][2]:
                findings.append(f"two different logs of {heads[0][1]} entries were signed for {origin}/{of}: the service shows different people different logs\n{a['heads'][of]}\n{b['heads'][of]}")
        for of in sorted(a.get("marks", {}).keys() & b.get("marks", {}).keys()):
            change = first_change(a["marks"][of], b["marks"][of])
            common += 1
            if change:
                lines = [KeptLines(f"{name}.entries", origin, of).line(change[0]) for name in names]
                words = ""
                if all(lines):
                    words = f'. {names[0]} has: "{said_by(lines[0])}". {names[1]} has: "{said_by(lines[1])}"'
                findings.append(f"entry {change[0]} of {of} {change[1]}{words}")
    return findings, common


def compare(names):
    memories = [memory_in(name) for name in names]
    findings, common = compared(*memories, names)
    for finding in findings:
        print(printable(ended(finding)))
    if not findings:
        print("They saw the same, as far as both looked." if common else "Nothing could be compared: they have looked at nothing in common.")
    return 1 if findings else 0 if common else 2


# --- the program ---


def printable(sentence):
    return "".join(c if c.isprintable() or c == "\n" else "?" for c in sentence)


def addressed(site, subsite):
    """The address of the service and the name of the subsite, also from an address of the subsite's pages, or `/s/tea`."""
    if "://" not in site and re.match(r"[\w.-]+(:\d+)?(/|$)", site):
        local = re.match(r"(localhost|127\.)", site)
        site = f"{'http' if local else 'https'}://{site}"
    address = urllib.parse.urlsplit(site)
    part = re.match(r"^(.*?)/s/([^/]+)", address.path)
    if part:
        subsite = subsite or part[2]
        address = address._replace(path=part[1], query="", fragment="")
    if subsite:
        subsite = re.sub(r"^.*(?:^|/)s/", "", subsite.strip()).strip("/").partition("/")[0]
    return urllib.parse.urlunsplit(address), subsite


def look(options, subsite, url):
    """One verification: its exit code and its sentence; what was seen is kept."""
    try:
        memory, file = memory_of(options)
        site = Site(url, os.environ.get("ROSTRA_TOKEN"))
        seen = seen_of(memory, site.url, site)
        if options.expect_heads and not seen.get("heads"):
            raise Unchecked(f"{file} has nothing of {site.url}, though something was expected: was it moved, or is this another user?")
        witnesses = [witness_in(text) for text in options.witness or []]
        if options.quorum > len(witnesses):
            raise Unchecked(f"--quorum {options.quorum} needs as many witnesses: name each with --witness")
        code, _, sentence, kept = verdict(site, subsite, seen, options.accept_origin, f"{file}.entries", witnesses, options.quorum)
        if code in (0, 4) and kept.get("origin"):
            keep(file, remember(memory, site.url, kept))
    except (Unchecked, Broken, OSError) as error:
        code, sentence = 2, ended(f"Nothing could be checked: {error}")
    return code, printable(sentence)


def stamped(sentence):
    return f"{time.strftime('%Y-%m-%d %H:%M UTC', time.gmtime())} {sentence}"


def watch(options, subsite, url):
    """Looks again and again; a line a day, and one when that what could not be checked changes. Ends with the first finding."""
    said, last = None, 0
    while True:
        code, sentence = look(options, subsite, url)
        if code in (1, 3, 4, 5) or code != said or time.monotonic() - last >= DAY_SECONDS:
            print(stamped(sentence), flush=True)
            said, last = code, time.monotonic()
        if code in (1, 3, 4, 5):
            if options.run:
                subprocess.run(options.run, shell=True, env={**os.environ, "ROSTRA_FINDING": sentence, "ROSTRA_CODE": str(code)}, check=False)
            return code
        time.sleep(options.every * 60)


DAY_SECONDS = 86_400


def main():
    if sys.argv[1:2] == ["compare"]:
        if len(sys.argv) != 4:
            print("usage: rostra_verify.py compare FILE-OF-ONE-READER FILE-OF-ANOTHER", file=sys.stderr)
            return 2
        try:
            return compare(sys.argv[2:])
        except (Unchecked, OSError) as error:
            print(printable(f"Nothing could be compared: {error}."))
            return 2
    parser = argparse.ArgumentParser(
        description="Verifies the moderation log of a subsite (docs/verifying.md).", epilog="`rostra_verify.py compare A B` compares the files of two readers."
    )
    parser.add_argument("site", help="the address of the service, such as https://tea.example, or of the subsite, such as https://tea.example/s/tea")
    parser.add_argument("subsite", nargs="?", help="the name of the subsite")
    parser.add_argument("--site", dest="is_site", action="store_true", help="the log of what admins do to the whole site: whole with the token of an admin, else its size")
    parser.add_argument("--heads", metavar="FILE", help=f"the file of what was seen ({default_file()}); keep it where the operator cannot write")
    parser.add_argument("--expect-heads", action="store_true", help="it is an error if nothing was seen yet: for jobs that run by themselves")
    parser.add_argument("--accept", "--accept-origin", dest="accept_origin", metavar="NAME", help="accept that the service has begun a new record of this name")
    parser.add_argument("--witness", action="append", metavar="KEY", help="the key of a witness: say whether it has seen the log, and when; as often as there are witnesses")
    parser.add_argument("--quorum", type=int, default=0, metavar="N", help="it is a finding if fewer than N of these witnesses have seen it")
    parser.add_argument("--watch", action="store_true", help="look again and again; a line a day, and an end at the first finding")
    parser.add_argument("--every", type=float, default=60, metavar="MINUTES", help="minutes between looks while watching (60)")
    parser.add_argument("--run", metavar="COMMAND", help="a command for a finding while watching, which has the sentence in ROSTRA_FINDING")
    options = parser.parse_args()
    url, subsite = addressed(options.site, options.subsite)
    if options.is_site == (subsite is not None):
        parser.error("--site is the log of the whole site: name no subsite with it" if options.is_site else "name a subsite, or --site")
    if options.watch:
        return watch(options, subsite, url)
    code, sentence = look(options, subsite, url)
    print(sentence)
    return code


if __name__ == "__main__":
    sys.exit(main())
