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
from copy import deepcopy
from importlib.util import find_spec
from urllib.parse import urlsplit

# What the service calls t3 (an award), t4 (a subsite), t5 (a link) and t6 (a message), as PRAW calls it.
KIND_OF_CLIENTS = {"t3": "t6", "t4": "t5", "t5": "t3", "t6": "t4"}
KIND_OF_SERVICE = {client: service for service, client in KIND_OF_CLIENTS.items()}

FULLNAMES = re.compile(r"t[1-6]_[0-9a-z]+([, ]+t[1-6]_[0-9a-z]+)*")
# Fields of responses and parameters of requests whose values are fullnames; in others a text that looks like one is a text.
FIELDS = re.compile(r"id|fullname|after|before|target_fullname|first_message_name|\w+_id")
PARAMETERS = {"id", "thing_id", "parent", "link_id", "link", "links", "sr", "container", "names", "after", "before", "mid"}
# Fields of responses whose values are addresses.
ADDRESSES = {"permalink", "link_permalink", "target_permalink", "context", "url", "link_url"}
# The address of a thing, which is found by its id in it.
ADDRESS = re.compile(r"https?://[^/]+(?:/[^?#]*?)?(/s/\w+/comments/([0-9a-z]+)/.*)")
# References to subsites in a text or its HTML.
REFERENCE = re.compile(r"(?<![\w/.])/s/(?=[A-Za-z0-9]\w{1,20})", re.ASCII)
INVITATION = "invitation to moderate /s/"

SCOPE_OF_CLIENTS = {"mysubsites": "mysubreddits", "csites": "creddits"}
SCOPE_OF_SERVICE = {"mysubreddits": "mysubsites", "creddits": "csites", "modlog": "read", "modtraffic": "read"}
# The scopes of features that the service does not have.
DROPPED_SCOPES = {"livemanage", "modmail", "modnote", "structuredstyles"}

AUTHOR_FIELDS = {
    "all_awardings": [],
    "approved_at_utc": None,
    "author_flair_background_color": None,
    "author_flair_richtext": [],
    "author_flair_template_id": None,
    "author_flair_text_color": None,
    "author_flair_type": "text",
    "author_is_blocked": False,
    "author_patreon_flair": False,
    "author_premium": False,
    "awarders": [],
    "banned_at_utc": None,
    "can_gild": False,
    "can_mod_post": False,
    "gildings": {},
    "mod_note": None,
    "mod_reason_by": None,
    "mod_reason_title": None,
    "no_follow": False,
    "send_replies": True,
    "top_awarded_type": None,
    "total_awards_received": 0,
    "treatment_tags": [],
}

# Fields that PRAW's users expect and the service does not know: each with the value of a new post, account or subreddit.
USUAL_FIELDS = {
    "t1": {
        **AUTHOR_FIELDS,
        "associated_award": None,
        "collapsed_because_crowd_control": None,
        "collapsed_reason": None,
        "collapsed_reason_code": None,
        "comment_type": None,
        "locked": False,
        "unrepliable_reason": None,
    },
    "t2": {
        "accept_chats": False,
        "accept_followers": False,
        "accept_pms": True,
        "awardee_karma": 0,
        "awarder_karma": 0,
        "has_subscribed": True,
        "icon_img": "",
        "is_blocked": False,
        "is_employee": False,
        "pref_show_snoovatar": False,
        "snoovatar_img": "",
        "snoovatar_size": None,
        "subreddit": None,
    },
    "t3": {
        **AUTHOR_FIELDS,
        "allow_live_comments": False,
        "category": None,
        "content_categories": None,
        "discussion_type": None,
        "is_created_from_ads_ui": False,
        "is_crosspostable": False,
        "is_gallery": False,
        "is_meta": False,
        "is_original_content": False,
        "is_reddit_media_domain": False,
        "is_robot_indexable": True,
        "link_flair_background_color": "",
        "link_flair_richtext": [],
        "link_flair_text_color": "dark",
        "link_flair_type": "text",
        "media_only": False,
        "num_crossposts": 0,
        "parent_whitelist_status": None,
        "pwls": None,
        "removed_by": None,
        "removed_by_category": None,
        "subreddit_subscribers": 0,
        "thumbnail_height": None,
        "thumbnail_width": None,
        "view_count": None,
        "whitelist_status": None,
        "wls": None,
    },
    "t4": {
        "associated_awarding_id": None,
        "likes": None,
        "num_comments": None,
        "score": 0,
    },
    "t5": {
        "accounts_active_is_fuzzed": False,
        "advertiser_category": "",
        "all_original_content": False,
        "allow_discovery": True,
        "allow_galleries": False,
        "allow_images": False,
        "allow_polls": False,
        "allow_videogifs": False,
        "allow_videos": False,
        "banner_background_color": "",
        "banner_background_image": "",
        "can_assign_link_flair": False,
        "can_assign_user_flair": False,
        "community_icon": "",
        "community_reviewed": False,
        "disable_contributor_requests": False,
        "emojis_custom_size": None,
        "emojis_enabled": False,
        "free_form_reports": True,
        "has_menu_widget": False,
        "is_crosspostable_subreddit": False,
        "is_enrolled_in_new_modmail": None,
        "key_color": "",
        "link_flair_enabled": False,
        "link_flair_position": "",
        "mobile_banner_image": "",
        "notification_level": None,
        "original_content_tag_enabled": False,
        "primary_color": "",
        "restrict_commenting": False,
        "restrict_posting": False,
        "should_archive_posts": False,
        "spoilers_enabled": False,
        "user_can_flair_in_sr": None,
        "user_flair_background_color": None,
        "user_flair_css_class": None,
        "user_flair_enabled_in_sr": False,
        "user_flair_position": "",
        "user_flair_richtext": [],
        "user_flair_template_id": None,
        "user_flair_text": None,
        "user_flair_text_color": None,
        "user_flair_type": "text",
        "user_has_favorited": False,
        "user_sr_flair_enabled": None,
        "videostream_links_count": 0,
        "whitelist_status": None,
        "wls": None,
    },
    "modaction": {},
    "me": {
        "coins": 0,
        "force_password_reset": False,
        "has_android_subscription": False,
        "has_external_account": False,
        "has_gold_subscription": False,
        "has_ios_subscription": False,
        "has_paypal_subscription": False,
        "has_stripe_subscription": False,
        "has_visited_new_profile": False,
        "in_redesign_beta": False,
        "is_sponsor": False,
        "linked_identities": [],
        "new_modmail_exists": None,
        "num_friends": 0,
        "password_set": True,
        "pref_autoplay": False,
        "pref_clickgadget": 0,
        "pref_geopopular": "",
        "pref_nightmode": False,
        "pref_no_profanity": False,
        "pref_show_presence": False,
        "pref_show_trending": False,
        "pref_top_karma_subreddits": False,
        "pref_video_autoplay": False,
    },
}


def _kinds(text, kinds):
    return re.sub(r"\bt[3-6](?=_)", lambda match: kinds[match[0]], text) if FULLNAMES.fullmatch(text) else text


def _scopes(text):
    """A list of scopes may begin with the subsites that a token is limited to: `tea+coffee:read vote`."""
    limit, names = re.fullmatch(r"([\w+]*:)?(.*)", text, re.DOTALL | re.ASCII).groups()
    return limit or "", [name for name in re.split(r"[\s,]+", names) if name]


def _scopes_to_service(text):
    """If nothing were left, the token would get every scope, so the service receives such a text as it is and refuses it."""
    limit, scopes = _scopes(text)
    known = [SCOPE_OF_SERVICE.get(scope, scope) for scope in scopes if scope not in DROPPED_SCOPES]
    return limit + ("," if "," in text else " ").join(dict.fromkeys(known)) if known else text


def _scopes_to_client(text):
    """A token has the scopes that were asked for, so `read` stays alone although it includes `modlog`."""
    limit, scopes = _scopes(text)
    return limit + " ".join(SCOPE_OF_CLIENTS.get(scope, scope) for scope in scopes)


def _scopes_like(scope):
    """The scopes that a client may ask for instead of one of the service."""
    similar = (name for name, allowing in SCOPE_OF_SERVICE.items() if allowing == scope)
    return dict.fromkeys([SCOPE_OF_CLIENTS.get(scope, scope), *similar])


def _address_to_client(address, things, own):
    if address.startswith("/s/"):
        return f"/r/{address[3:]}"
    match = ADDRESS.fullmatch(address)
    return f"{own}/r/{match[1][3:]}" if match and match[2] in things else address


def _message(message):
    """Bots know an invitation by its subject and the first word of its body."""
    hailed = str(message.get("subject")).startswith(INVITATION)

    def text(field):
        if not isinstance(message.get(field), str):
            return message.get(field)
        value = REFERENCE.sub("/r/", message[field])
        return value.replace("you are invited", "gadzooks! you are invited", 1) if hailed and field != "subject" else value

    return {**message, **{field: text(field) for field in ("subject", "body", "body_html") if field in message}}


def _derived(kind, data, own):
    """The fields that repeat others in other words."""
    if kind == "t5":
        return {"display_name_prefixed": f"r/{data.get('display_name')}"}
    derived = {}
    if isinstance(data.get("subreddit"), str):
        derived["subreddit_name_prefixed"] = f"r/{data['subreddit']}"
    if kind == "t3" and data.get("is_self") is False:
        derived["url_overridden_by_dest"] = data.get("url")
    if kind == "t1" and isinstance(data.get("link_title"), str) and isinstance(data.get("permalink"), str):
        derived["link_permalink"] = own + re.sub("[^/]+/$", "", data["permalink"])
    return derived


def _with_usual_fields(kind, data, own):
    return {**deepcopy(USUAL_FIELDS[kind]), **_derived(kind, data, own), **data} if kind in USUAL_FIELDS else data


def _id(fullname):
    return re.sub("^t[1-6]_", "", fullname) if isinstance(fullname, str) else None


def _value(value, key, things, own):
    if isinstance(value, list):
        return [_value(item, key, things, own) for item in value]
    if isinstance(value, dict):
        return _record(value, own)
    if not isinstance(value, str):
        return value
    if key == "kind":
        return "subreddit_settings" if value == "subsite_settings" else KIND_OF_CLIENTS.get(value, value)
    if FIELDS.fullmatch(key) and FULLNAMES.fullmatch(value):
        return _kinds(value, KIND_OF_CLIENTS)
    if key in ADDRESSES:
        return _address_to_client(value, things, own)
    if key in ("errors", "reason") and re.fullmatch(r"[A-Z]+(_[A-Z]+)*", value):
        return value.replace("SUBSITE", "SUBREDDIT", 1)
    return value


def _record(record, own):
    # the name of a thing ends in its id; an account or an app may have a name that only looks like a fullname
    is_thing = isinstance(record.get("name"), str) and _id(record["name"]) == record.get("id")
    things = {_id(record.get("id")), _id(record.get("link_id"))} - {None}
    client = {
        "gold_creddits" if name == "gold_csites" else re.sub(r"^subsite(?=$|_)", "subreddit", name): _value(
            value, "fullname" if is_thing and name == "name" else name, things, own
        )
        for name, value in record.items()
    }
    kind, data = client.get("kind"), client.get("data")
    if not isinstance(kind, str) or not isinstance(data, dict):
        return client
    if kind == "t1" and isinstance(data.get("permalink"), str):
        # clients count the parts of a comment's permalink, which ends in a slash
        data["permalink"] = re.sub("[^/]$", r"\g<0>/", data["permalink"])
    if kind == "t4" and isinstance(data.get("body"), str):
        data = _message(data)
    return {**client, "data": _with_usual_fields(kind, data, own)}


def renamed(value, own="", path=""):
    """
    The JSON of a response as PRAW reads it. `path` is that of the request; some responses are known by it alone. Absolute addresses of things begin
    with `own`, the address of the service.
    """
    asked = re.sub(r"(\.json)?/?$", "", re.sub(r"[?#].*$", "", path))
    if asked.endswith("/api/v1/scopes") and isinstance(value, dict) and "error" not in value:
        return {
            name: {"id": name, "name": name, "description": row["description"].replace("subsite", "subreddit")}
            for scope, row in value.items()
            for name in _scopes_like(scope)
        }
    client = _value(value, "", set(), own)
    if isinstance(client, dict):
        if asked.endswith("/api/v1/me") and isinstance(client.get("name"), str):
            return _with_usual_fields("me", _with_usual_fields("t2", client, own), own)
        if asked.endswith("/api/v1/access_token") and isinstance(client.get("scope"), str):
            return {**client, "scope": _scopes_to_client(client["scope"])}
    return client


def _parameter(name, value):
    if not isinstance(value, str):
        return value
    if name in ("scope", "scopes"):
        return _scopes_to_service(value)
    return _kinds(value, KIND_OF_SERVICE) if name in PARAMETERS else value


def _sent(fields):
    """A query, a form or a JSON body as the service reads it."""
    if isinstance(fields, dict):
        return {name: _parameter(name, value) for name, value in fields.items()}
    if isinstance(fields, list) and all(isinstance(field, tuple) for field in fields):
        return [(name, _parameter(name, value)) for name, value in fields]
    return fields


def _request(given):
    return {name: _sent(value) if name in ("params", "data", "json") else value for name, value in given.items()}


def _target(url):
    return re.sub(r"^([a-z]+://[^/]+)?/r/popular(?=[/.?]|$)", r"\1/r/all", str(url))


def _own(url):
    """The address of the service, and the path in it."""
    parts = urlsplit(str(url))
    return {"own": f"{parts.scheme}://{parts.netloc}", "path": parts.path}


def _location(address):
    """Redirects lead to `/s/…`; PRAW knows `/r/…`."""
    return re.sub(r"(^|://[^/]+)/s/", r"\1/r/", address)


def _is_json(response):
    return response.headers.get("Content-Type", "").startswith("application/json")


def _with_scopes(site):
    """The page on which a person allows an app is opened by a browser, so its address has the scopes of the service."""
    address = site.auth.url

    def url(*args, **given):
        if args:
            return address(_scopes_to_service(" ".join(args[0])).split(), *args[1:], **given)
        return address(**{**given, "scopes": _scopes_to_service(" ".join(given["scopes"])).split()})

    site.auth.url = url
    return site


def _configured(url, given):
    addresses = {"reddit_url": url, "oauth_url": url, "short_url": f"{url.rstrip('/')}/comments/"}
    return {**addresses, "check_for_updates": False, "user_agent": "praw_rostra", **given}


if find_spec("praw"):
    import praw
    import prawcore

    class Requestor(prawcore.Requestor):
        def request(self, method, url, **kwargs):
            response = super().request(method, _target(url), **_request(kwargs))
            if response.content and _is_json(response):
                response._content = json.dumps(renamed(json.loads(response.text), **_own(url))).encode()
                response.encoding = "utf-8"
            if "Location" in response.headers:
                response.headers["Location"] = _location(response.headers["Location"])
            return response

    def rostra(url, **given):
        return _with_scopes(praw.Reddit(requestor_class=Requestor, **_configured(url, given)))


if find_spec("asyncpraw"):
    import asyncpraw
    import asyncprawcore
    from multidict import CIMultiDict, CIMultiDictProxy

    class AsyncRequestor(asyncprawcore.Requestor):
        @asynccontextmanager
        async def request(self, method, url, **kwargs):
            async with super().request(method, _target(url), **_request(kwargs)) as response:
                body = await response.read()
                if body and _is_json(response):
                    response._body = json.dumps(renamed(json.loads(body), **_own(url))).encode()
                if "Location" in response.headers:
                    headers = CIMultiDict(response.headers)
                    headers["Location"] = _location(headers["Location"])
                    response._headers = CIMultiDictProxy(headers)
                    response._cache.pop("headers", None)
                yield response

    def async_rostra(url, **given):
        return _with_scopes(asyncpraw.Reddit(requestor_class=AsyncRequestor, **_configured(url, given)))
