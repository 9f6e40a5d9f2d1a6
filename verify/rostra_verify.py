#!/usr/bin/env python3
"""Verifies the moderation log of a subsite of a Rostra service, or the log of the site: docs/verifying.md.

    python3 rostra_verify.py https://tea.example tea
    python3 rostra_verify.py https://tea.example --site

Whatever the service sends is taken for hostile. Exit codes: 0, all holds; 1, it does not, and the sentence says at which k;
2, it could not be checked; 3, the service has begun a new origin, which a person must accept; 4, all that was signed holds, but the
pages of the log show people more or less than that.
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
LISTED_ENTRIES = 500
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


class Unshown(Exception):
    """The pages of the log do not show what was signed, perhaps of one entry."""

    def __init__(self, problem, k=None):
        super().__init__(problem)
        self.k = k


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
                raise Broken(f"the tile of the leaves from {first} does not lead to the root of the signed head")
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
                f"the log of {head.size} {leaves} does not continue the one of {before.size} that was signed and seen before: it was changed\n{before.note}\n{head.note}"
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
            raise Broken(f"there is no head of {name}")
        for self.key, key in reversed(list(enumerate(keys))):
            text = note_text(note, name, key)
            if text is not None:
                break
        else:
            raise Broken(f"the head of {name} is not signed by a key of it")
        lines = text.split("\n")
        if len(lines) != 4 or lines[0] != name or not re.fullmatch("0|[1-9][0-9]{0,14}", lines[1]):
            raise Broken(f"what is signed is no head of {name}")
        self.name, self.note, self.size, self.root = name, note, int(lines[1]), decoded(lines[2], 32)
        self.until = getattr(keys[self.key], "until", None)
        if name.endswith("/log") and self.until is not None and self.size > self.until:
            raise Broken(f"the head of {name} is signed by a key that was replaced before there were so many events")


def follow(before, head, name):
    """Refuse a head that cannot follow one that was seen before, whatever the tree is."""
    if before is None:
        return
    if head.size == before.size and head.root != before.root:
        raise Broken(f"a forked log: two heads of {name} with {head.size} leaves are signed\n{before.note}\n{head.note}")
    if head.size < before.size:
        raise Broken(f"its head has {head.size} leaves, but one with {before.size} was signed and seen before: the end is cut off", head.size)
    if head.key < before.key:
        raise Broken(f"its head is signed by a key that was replaced before the head that was seen before")


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
            raise Unchecked(f"{self.url}{path} answers with {what}") from None
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


# An event as it was committed to: its leaf, its id and type, and the values of its fields that are opened, as JSON.
Committed = collections.namedtuple("Committed", "leaf record values k")


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


def what_differs(entry, record, values):
    """What of an entry, as people read it, is not what the opened fields of its event say."""
    at, account = json.loads(values["meta.at"]), json.loads(values["meta.by"])["account"]
    type = record["type"]
    if entry["id"] != f"ModAction_{record['id']}" or entry["created_utc"] != at // 1000:
        return "id or time"
    if entry["mod_id36"] != (account[3:] if account is not None else None):
        return "the moderator"
    for actions in (ACTIONS, SITE_ACTIONS):
        if any(type in types.split(" ") for types in actions.values()) and type not in actions.get(entry["action"], "").split(" "):
            return "the action"
    closed = record.get("fields", {}).keys() - values.keys()
    if closed & {"data.target", "data.account", "data.setting"}:
        return "what was acted on, which is not opened"
    data = {name[5:]: json.loads(value) for name, value in values.items() if name.startswith("data.")}
    target = data["target"]["id"] if "target" in data else data.get(TARGETS.get(type, "account"))
    shows_none = type == "ModeratorInvitationAccepted"
    if target is not None and entry["target_fullname"] != (None if shows_none else target):
        return "the target"
    if type in ("SubsiteSettingChanged", "FlairSettingChanged"):
        for side in ("before", "after"):
            shown = entry["changes"][0][side]
            if shown is not None if f"data.{side}" in closed else side in data and not is_same(shown, as_shown(data[side])):
                return f"the change of {data['setting']}"
        return None if entry["changes"][0]["field"] == data["setting"] else "the setting"
    field, *places = CHANGES.get(type, ("", None, None))
    shown = next((one for one in entry["changes"] if one["field"] == field), None)
    for side, place in zip(("before", "after"), places):
        stored = data.get(place, ABSENT) if place else ABSENT
        if f"data.{place}" in closed and shown is not None and shown[side] is not None:
            return f"the change of {field}, which is not opened"
        if stored is ABSENT or (shown is None and field == "until"):
            continue
        if field == "until":
            stored = "permanent" if stored is None else stored // 1000
        if shown is None or not is_same(shown[side], stored):
            return f"the change of {field}"
    return None


def check_wording(entry, committed):
    """What people read of an entry says the same as what was committed to, as far as both say it."""
    if entry is None:
        return
    try:
        differs = what_differs(entry, committed.record, committed.values)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        differs = "what should be there"
    if differs:
        raise Broken(f"what people read of it is not what was committed to: {differs}", committed.k)


class Entries:
    """The leaves of a moderation log, entry by entry."""

    def __init__(self, of):
        self.of, self.tree, self.roots = of, Growing(), {}
        self.leaves, self.events, self.numbers, self.unshown = [], [], [], []
        # the last ones, which the pages of the log begin with
        self.recent = collections.deque(maxlen=LISTED_ENTRIES * LISTED_PAGES)

    def add(self, line):
        k = self.tree.size
        if line.get("k") != k or type(line.get("k")) is not int:
            raise Broken(f"the entry that follows says it is {line.get('k')!r:.40}", k)
        n = number_in(line.get("n"), "its n", k)
        if self.numbers and n <= self.numbers[-1]:
            raise Broken(f"it is event {n}, but the entry before it is event {self.numbers[-1]}", k)
        try:
            committed = committed_event(line.get("event"), self.of, k)
            check_wording(line.get("entry"), committed)
        except Broken as error:
            raise Broken(str(error), k) from None
        if line.get("entry") is None and self.of != SITE:
            self.unshown.append(k)
        self.recent.append(committed)
        self.events.append(committed.leaf)
        self.numbers.append(n)
        self.leaves.append(leaf_hash(compact({"event": committed.leaf.hex(), "k": k, "n": n})))
        self.tree.push(self.leaves[-1])

    def marks(self):
        """What is kept to say later which entry has changed: it proves nothing, heads do."""
        return [f"{n} {event.hex()[:16]}" for n, event in zip(self.numbers, self.events)]


def first_change(before, now):
    """Where the marks of entries differ from those that were kept, and how."""
    for k, (one, other) in enumerate(zip(before, now)):
        if one == other:
            continue
        old, new = ([mark.split(" ")[-1] for mark in marks[k : k + 2]] for marks in (before, now))
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


# --- the verification ---


class Verification:
    def __init__(self, site, subsite, kept, accept=None):
        """`subsite`: its name; None for the log of the site."""
        self.site, self.subsite, self.kept, self.accept = site, subsite, kept, accept
        quoted = urllib.parse.quote(subsite or "", safe="")
        self.base, self.listing = ("/history/site", "/api/v1/site/log") if subsite is None else (f"/history/s/{quoted}", f"/s/{quoted}/about/log")
        self.log = log_named(subsite)
        self.fresh = ""

    def keys(self):
        """The origin and its keys, which continue those that were seen before."""
        overview = parsed(self.site.read("/history"))
        origin = text_in(overview.get("origin"), NAME, "the name of the origin")
        before = self.kept.get("origin")
        keys = keys_of(overview, origin)
        if before not in (None, origin) and self.accept != origin:
            raise NewOrigin(self.of_old_origin(before, origin, overview))
        if before != origin:
            self.kept = {"origin": origin}
        seen = [decoded(key, 32) for key in self.kept.get("keys", [])]
        if keys[: len(seen)] != seen:
            raise Broken(f"the keys of {origin} are not the ones that were seen before")
        return origin, keys

    def of_old_origin(self, before, origin, overview):
        """What the service says of the origin that was trusted."""
        name = f"{before}/log"
        keys = [decoded(key, 32) for key in self.kept.get("keys", [])]
        kept = self.kept.get("heads", {}).get("log")
        words = "does not name the old origin at all"
        listed = overview.get("previous")
        for old in listed if isinstance(listed, list) else []:
            if not isinstance(old, dict) or old.get("origin") != before:
                continue
            try:
                last, seen = Head(old.get("checkpoint"), name, keys), kept and Head(kept, name, keys).size
                words = f"names a head of {last.size} events as the last of the old one; the one you saw had {seen}"
            except Broken:
                words = "names a head of the old one that none of the keys you know has signed"
            if old.get("proved") is False:
                words += ", and says itself that it could not prove it, as where the key was lost"
            break
        return f"the service has begun new trees, {origin}, in place of {before}, and {words}: what was proved before binds it no longer"

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
                    raise Unchecked(f"{path} does not begin with a head")
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
        """All entries up to the head of the first page, and that head."""
        first = entries = before = unfit = None
        pages = self.pages()
        kind, line = next(pages)
        try:
            while True:
                if kind == "head":
                    note = line.get("checkpoint")
                    known = SITE if self.subsite is None else self.kept.get("names", {}).get(self.subsite.lower())
                    if note is None and f"s/{known}" in self.kept.get("heads", {}):
                        raise Broken("no head of it is shown, but one was signed and seen before", 0)
                    if note is None:
                        raise Unchecked(f"there is no signed head of {self.log} yet: nothing was done there, or only in the last minute")
                    if entries is None:
                        line_of = note.split("\n")[0] if isinstance(note, str) else None
                        of = text_in(line_of, re.escape(origin) + "/s/(t4_[0-9a-z_]{1,40}|site)", "the name of the head").rpartition("/")[2]
                        if known not in (None, of) or (of == SITE) != (self.subsite is None):
                            raise Broken(f"{self.log} was that of {known} before, and is that of {of} now")
                        entries = Entries(of)
                        before = self.kept_head(f"s/{of}", origin, keys)
                    head = Head(note, f"{origin}/s/{entries.of}", keys)
                    try:
                        follow(first or before, head, f"{origin}/s/{entries.of}")
                    except Broken as error:
                        unfit = unfit or error
                    first = first or head
                    if first.size > MAX_ENTRIES:
                        raise Unchecked(f"{first.size} entries are more than this program reads")
                    kind, line = pages.send(first.size)
                    continue
                if line.get("kind") != "entry":
                    raise Broken("what follows is no entry", entries.tree.size)
                entries.add(line)
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
            raise Broken(str(unfit), change[0] if change else unfit.k)
        self.check_root(entries, first, before)
        return entries, first, before

    def name_change(self, entries, more="", error=None):
        """Say which entry is another than before, if that is earlier than what was found else."""
        if entries is None:
            return
        change = first_change(self.kept.get("marks", {}).get(entries.of, []), entries.marks())
        if change and (error is None or error.k is None or change[0] < error.k):
            raise Broken(f"entry {change[0]} {change[1]}{more}", change[0])

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
                raise Broken("the entry is not the one that was signed", k)
        raise Broken("the entries do not make the root of the signed head")

    def log_head(self, origin, keys, n):
        """A head of the log that covers an event: signed after that of the subsite."""
        for _ in range(HEAD_TRIES):
            note = self.site.read("/history/log/checkpoint").decode("utf-8", "replace")
            head = Head(note, f"{origin}/log", keys)
            if head.size > n:
                return head
            self.site.wait(HEAD_WAIT_SECONDS)
        raise Broken(f"the head of the log has {head.size} events, but there is an entry of event {n}")

    def check_log(self, origin, keys, entries):
        before = self.kept_head("log", origin, keys)
        head = self.log_head(origin, keys, entries.numbers[-1] if entries.numbers else -1)
        try:
            follow(before, head, f"{origin}/log")
        except Broken as error:
            raise Broken(f"of the whole log: {error}") from None
        tiles = self.tiles("/history/log", head)
        tiles.check_growth(before, head, "events")
        if self.head.until is not None and entries.numbers and entries.numbers[-1] >= self.head.until:
            raise Broken("its head is signed by a key that was replaced before the last entry", entries.tree.size - 1)
        for k, (n, event) in enumerate(zip(entries.numbers, entries.events)):
            if tiles.leaf(n) != event:
                raise Broken(f"its event is not event {n} of the log", k)
        return head

    def first_unshown(self, entries):
        """The first entry of which the service still shows people nothing: what they read may follow the log some seconds later."""
        while entries.unshown:
            k = entries.unshown[0]
            _, line, *_ = [*(parsed(data) for data in self.site.lines(f"{self.base}/entries?from={k}")), {}, {}]
            if line.get("entry") is None:
                return k
            committed = committed_event(line.get("event"), entries.of, k)
            check_wording(line["entry"], committed)
            if committed.leaf != entries.events[k]:
                raise Broken("it is another event than a moment ago", k)
            entries.unshown.pop(0)
        return None

    def listed(self):
        """The entries as people read them on the pages of the log, newest first; None where the last page that is read is not the last."""
        after = ""
        for _ in range(LISTED_PAGES):
            try:
                data = parsed(self.site.read(f"{self.listing}?limit={LISTED_ENTRIES}&raw_json=1{after}{self.fresh}", MAX_PAGE_BYTES))["data"]
                yield from [child["data"] for child in data["children"]]
                after = data["after"] and f"&after={urllib.parse.quote(data['after'], safe='')}"
            except (KeyError, TypeError) as error:
                raise Unchecked(f"the pages of {self.log} cannot be read ({type(error).__name__})") from None
            if not after:
                return
        yield None

    def check_listed(self, entries):
        """The pages of the log show the entries that were signed, without one more or less; before them those that are not signed yet."""
        expected = collections.deque(reversed(entries.recent))
        known = {committed.record["id"] for committed in expected}
        new = []
        for entry in self.listed():
            if not expected and len(entries.recent) < entries.tree.size:
                break
            if entry is None:
                # each of those that are not signed yet stands in the place of one that is
                if len(expected) > len(new):
                    raise Unshown(f"{LISTED_PAGES} pages do not come to it", expected[0].k)
                break
            name = text_in(isinstance(entry, dict) and entry.get("id"), "ModAction_[0-9a-f-]{36}", f"the id of an entry on the pages of {self.log}")
            if expected and name[10:] == expected[0].record["id"]:
                check_wording(entry, expected.popleft())
            elif name[10:] in known:
                raise Unshown("the pages do not show it in its place", expected[0].k) if expected else Unshown(f"the pages show {name} twice")
            elif len(expected) == len(entries.recent) and len(new) < MAX_NEW_ENTRIES:
                new.append((name, entry))
            else:
                raise Unshown(f"the pages show {name}, which was never signed", expected[0].k if expected else 0)
        else:
            if expected:
                raise Unshown("the pages do not show it", expected[0].k)
        for name, entry in new:
            self.check_new(name, entry, entries)

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
        check_wording(entry, committed)
        if self.site.now() - json.loads(committed.values["meta.at"]) / 1000 > MAX_UNSIGNED_SECONDS:
            raise Unshown(f"the pages show {name}, which was not signed within an hour")

    def what_people_read(self, entries):
        """How the pages of the log differ from what was signed, if they still do after some seconds; None if they do not."""
        for tries in range(HEAD_TRIES):
            if tries > 0:
                self.site.wait(HEAD_WAIT_SECONDS)
                # not from a cache in front, which may have older pages
                self.fresh = f"&fresh={secrets.token_hex(8)}"
            try:
                k = self.first_unshown(entries)
                if k is not None:
                    raise Unshown("the service shows people nothing of it", k)
                return self.check_listed(entries)
            except Unshown as error:
                found = error
        return found

    def counted(self):
        """What everybody may check of the log of the site: its head, that it continues the one seen before, and that as many entries are counted."""
        origin, keys = self.keys()
        for _ in range(HEAD_TRIES):
            head = Head(self.site.read("/history/site/checkpoint").decode("utf-8", "replace"), f"{origin}/s/site", keys)
            before = self.kept_head("s/site", origin, keys)
            follow(before, head, f"{origin}/s/site")
            tiles = self.tiles(self.base, head)
            tiles.check_growth(before, head, "entries")
            counts = parsed(self.site.read("/api/v1/site/log_counts"))
            many = sum(number_in(count, f"the count of {action}") for action, count in counts.items())
            if many == head.size:
                kept = {**self.kept, "origin": origin, "keys": [base64.b64encode(key).decode() for key in keys]}
                kept["heads"] = {**self.kept.get("heads", {}), "s/site": head.note}
                since = f", of which {before.size} were there when you last looked" if before else ""
                return f"The log of the site has {many} entries, as many as its signed head{since}. Only admins read them: what is in them was not checked.", kept, None
            self.site.wait(MAX_WAIT_SECONDS / (HEAD_TRIES - 1))
        raise Unshown(f"{many} entries are counted, but {head.size} are signed")

    def run(self):
        """What holds, in a sentence, what to keep, and how what people read differs from it."""
        if self.subsite is None and "Authorization" not in self.site.headers:
            return self.counted()
        origin, keys = self.keys()
        entries, head, before = self.read_entries(origin, keys)
        self.head = head
        log = self.check_log(origin, keys, entries)
        since = f"; the {before.size} that were there when you last looked are unchanged" if before else "; you look for the first time"
        kept = {
            "origin": origin,
            "keys": [base64.b64encode(key).decode() for key in keys],
            "names": {**self.kept.get("names", {}), **({self.subsite.lower(): entries.of} if self.subsite is not None else {})},
            "heads": {**self.kept.get("heads", {}), "log": log.note, f"s/{entries.of}": head.note},
            "marks": {**self.kept.get("marks", {}), entries.of: entries.marks()},
        }
        holds = f"All {head.size} entries of {self.log} hold: each is signed in its place, and is in the log of {log.size} events{since}."
        return holds, kept, self.what_people_read(entries)


def log_named(subsite):
    return "the log of the site" if subsite is None else f"the moderation log of {subsite}"


def verdict(site, subsite, kept, accept=None):
    """The exit code, the k at which it breaks, a sentence, and what to keep from now on."""
    log = log_named(subsite)
    try:
        sentence, kept, unshown = Verification(site, subsite, kept, accept).run()
        if unshown is None:
            return 0, None, sentence, kept
        place = "" if unshown.k is None else f" at k={unshown.k}"
        return 4, unshown.k, f"The pages of {log} are not what was signed{place}: {unshown}. {sentence}", kept
    except Unshown as error:
        return 4, error.k, f"The pages of {log} are not what was signed: {error}.", kept
    except Broken as error:
        place = "" if error.k is None else f" at k={error.k}"
        return 1, error.k, f"{log[0].upper()}{log[1:]} breaks{place}: {error}.", kept
    except NewOrigin as error:
        return 3, None, f"NEW ORIGIN: {error}.", kept
    except Unchecked as error:
        return 2, None, f"Nothing could be checked: {error}.", kept
    except Exception as error:  # whatever it is, it must not look like a verdict
        return 2, None, f"Nothing could be checked: the service sends what cannot be understood ({type(error).__name__}).", kept


def kept_in(file):
    try:
        with open(file, encoding="utf-8") as opened:
            kept = json.load(opened)
        if not isinstance(kept, dict) or not all(isinstance(one, dict) for one in kept.values()):
            raise ValueError("it is not one of this program")
        return kept
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise Unchecked(f"{file} cannot be read: {error}") from None


def keep(file, kept):
    with open(f"{file}.new", "w", encoding="utf-8") as opened:
        json.dump(kept, opened, indent=1)
        opened.flush()
        os.fsync(opened.fileno())
    os.replace(f"{file}.new", file)


def main():
    parser = argparse.ArgumentParser(description="Verifies the moderation log of a subsite (docs/verifying.md).")
    parser.add_argument("site", help="the address of the service, such as https://tea.example")
    parser.add_argument("subsite", nargs="?", help="the name of the subsite")
    parser.add_argument("--site", dest="is_site", action="store_true", help="the log of what admins do to the whole site: whole with the token of an admin, else its size")
    parser.add_argument("--heads", default="rostra-heads.json", help="the file of what was seen; keep it where the operator cannot write")
    parser.add_argument("--accept-origin", metavar="NAME", help="accept that the service has begun anew under this name")
    options = parser.parse_args()
    if options.is_site == (options.subsite is not None):
        parser.error("name a subsite, or --site")
    try:
        all_kept = kept_in(options.heads)
        site = Site(options.site, os.environ.get("ROSTRA_TOKEN"))
        code, _, sentence, kept = verdict(site, options.subsite, all_kept.get(site.url, {}), options.accept_origin)
        if code in (0, 4):
            keep(options.heads, {**all_kept, site.url: kept})
    except (Unchecked, OSError) as error:
        code, sentence = 2, f"Nothing could be checked: {error}."
    print("".join(c if c.isprintable() or c == "\n" else "?" for c in sentence))
    return code


if __name__ == "__main__":
    sys.exit(main())
