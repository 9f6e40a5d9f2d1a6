"""The client that openapi-python-client makes of the document: models in, models out."""

import json
import os
import sys

import httpx

sys.path += [os.path.join(os.path.dirname(__file__), "..")]

from report import same, true, works
from rostra import AuthenticatedClient, Client, models
from rostra.api.account import get_api_v1_me, get_api_v1_me_prefs, patch_api_v1_me_prefs
from rostra.api.flair import get_s_sub_api_flairlist, post_s_sub_api_flair, post_s_sub_api_flairselector, post_s_sub_api_selectflair
from rostra.api.links_and_comments import (
    get_api_info,
    get_api_morechildren,
    post_api_comment,
    post_api_del,
    post_api_editusertext,
    post_api_hide,
    post_api_lock,
    post_api_save,
    post_api_set_subsite_sticky,
    post_api_submit,
    post_api_unsave,
    post_api_vote,
)
from rostra.api.listings_of_links_and_comments import (
    get_comments_article,
    get_comments_article_title_comment,
    get_s_sub_comments,
    get_s_sub_new,
    get_s_sub_search,
)
from rostra.api.login_and_apps import post_api_v1_access_token
from rostra.api.moderation import get_s_sub_about_location, get_s_sub_about_log, post_api_approve, post_api_remove
from rostra.api.private_messages import get_message_where, post_api_compose, post_api_read_message
from rostra.api.subsites import (
    get_s_sub_about,
    get_s_sub_about_edit,
    get_s_sub_about_stylesheet,
    get_subs_mine_where,
    patch_api_v1_subsite_update_settings,
    post_api_subscribe,
    post_s_sub_api_subsite_stylesheet,
)
from rostra.api.users import (
    delete_api_v1_me_friends_username,
    get_api_v1_me_friends_username,
    get_user_username_where,
    post_s_sub_api_friend,
    post_s_sub_api_unfriend,
    put_api_v1_me_friends_username,
)
from rostra.api.wiki import get_s_sub_wiki_page, get_s_sub_wiki_pages, get_s_sub_wiki_revisions_page, post_s_sub_api_wiki_edit

SCENE = json.loads(os.environ["SCENE"])
CONTENT = SCENE["content"]
URL = SCENE["url"]
TEA = "tea"


def login(name):
    app = CONTENT["accounts"][name]
    basic = {"auth": httpx.BasicAuth(app["client_id"], app["client_secret"])}
    body = models.PostApiV1AccessTokenBody(grant_type="password", username=name, password=CONTENT["password"])
    token = post_api_v1_access_token.sync(client=Client(base_url=URL, httpx_args=basic), body=body)
    if not isinstance(token, models.Token):
        raise AssertionError(token)
    return AuthenticatedClient(base_url=URL, token=token.access_token)


def read(operation, model, *arguments, **parameters):
    """The answer of an operation, which must be of this model."""
    answer = operation.sync(*arguments, **parameters)
    if not isinstance(answer, model):
        raise AssertionError(answer)
    return answer


def done(operation, *arguments, **parameters):
    read(operation, models.Done, *arguments, **parameters)


def accepted(operation, *arguments, **parameters):
    answer = operation.sync(*arguments, **parameters)
    true(answer is not None and not isinstance(answer, (models.FormErrors, models.Refusal, models.Fault)), answer)
    same(answer.json.errors, [])
    return answer.json


ann, bob, cat = [login(name) for name in ("ann", "bob", "cat")]


@works("login by password")
def _():
    login("dan")


@works("me")
def _():
    same(read(get_api_v1_me, models.OwnAccount, client=ann).name, "ann")


@works("a listing of more than 250")
def _():
    names, anchor = [], {}
    while anchor is not None:
        page = read(get_s_sub_new, models.LinkListing, TEA, client=ann, limit=100, **anchor).data
        names += [child.data.name for child in page.children]
        anchor = {"after": page.after} if page.after is not None else None
    same(len(set(names)), len(names))
    same(set(CONTENT["links"]) - set(names), set())


def submit(title, kind, **content):
    body = models.PostApiSubmitBody(sr=TEA, kind=models.PostApiSubmitBodyKind(kind), title=title, **content)
    return accepted(post_api_submit, client=bob, body=body).data.name


TEXT = []


@works("submit")
def _():
    link = submit("A teapot", "link", url="https://example.com/python")
    TEXT.append(submit("On pots", "self", text="Iron & clay"))
    raw = models.GetApiInfoRawJson.VALUE_1
    found = get_api_info.sync(client=ann, id=f"{link},{TEXT[0]}", raw_json=raw)
    same([child.data.selftext for child in found.data.children], ["", "Iron & clay"])
    true(all(isinstance(child, models.LinkThing) for child in found.data.children), "links")


def comment(on, text):
    body = models.PostApiCommentBody(thing_id=on, text=text)
    return accepted(post_api_comment, client=bob, body=body).data.things[0].data


@works("comment, edit and delete")
def _():
    first = comment(TEXT[0], "Clay").name
    same(comment(first, "Why?").parent_id, first)
    body = models.PostApiEditusertextBody(thing_id=first, text="Clay > iron")
    raw = models.PostApiEditusertextRawJson.VALUE_1
    same(accepted(post_api_editusertext, client=bob, body=body, raw_json=raw).data.things[0].data.body, "Clay > iron")
    done(post_api_del, client=bob, body=models.PostApiDelBody(id=comment(TEXT[0], "Oops").name))


@works("a comment tree with everything expanded")
def _():
    article = CONTENT["thread"].split("_")[1]
    found = set()

    def expand(things):
        for thing in things:
            if isinstance(thing, models.CommentThing):
                found.add(thing.data.name)
                if isinstance(thing.data.replies, models.CommentListing):
                    expand(thing.data.replies.data.children)
            elif thing.data.id == "_":
                parent = thing.data.parent_id.split("_")[1]
                expand(get_comments_article_title_comment.sync(article, "_", parent, client=ann)[1].data.children)
            else:
                children = ",".join(thing.data.children)
                expand(accepted(get_api_morechildren, client=ann, link_id=CONTENT["thread"], children=children).data.things)

    links, comments = get_comments_article.sync(article, client=ann)
    expand(comments.data.children)
    same(len(found), CONTENT["comments"])
    same(links.data.children[0].data.num_comments, CONTENT["comments"])


@works("vote")
def _():
    link = CONTENT["links"][0]
    for direction in (1, -1):
        done(post_api_vote, client=cat, body=models.PostApiVoteBody(id=link, dir_=models.PostApiVoteBodyDir(direction)))
    [child] = get_api_info.sync(client=cat, id=link).data.children
    same([child.data.likes, child.data.dislikes], [True, True])


@works("save, hide, and the pages of a user")
def _():
    link = CONTENT["links"][1]
    done(post_api_save, client=cat, body=models.PostApiSaveBody(id=link))
    done(post_api_hide, client=cat, body=models.PostApiHideBody(id=link))
    for where in ("SAVED", "HIDDEN"):
        page = read(get_user_username_where, models.ThingListing, "cat", models.GetUserUsernameWhereWhere[where], client=cat)
        same([child.data.name for child in page.data.children], [link])
    done(post_api_unsave, client=cat, body=models.PostApiUnsaveBody(id=link))


def unread():
    return read(get_message_where, models.InboxListing, models.GetMessageWhereWhere.UNREAD, client=ann).data.children


@works("inbox")
def _():
    accepted(post_api_compose, client=bob, body=models.PostApiComposeBody(to="ann", subject="Typed", text="Hello"))
    [message] = [item for item in unread() if isinstance(item, models.MessageThing) and item.data.subject == "Typed"]
    done(post_api_read_message, client=ann, body=models.PostApiReadMessageBody(id=message.data.name))
    reply = accepted(post_api_comment, client=ann, body=models.PostApiCommentBody(thing_id=message.data.name, text="Hello, too"))
    true(isinstance(reply.data.things[0], models.MessageThing), "a message")
    true(message.data.name not in [item.data.name for item in unread()], "it is read")


@works("relations")
def _():
    body = models.PutApiV1MeFriendsUsernameBody(note="coffee")
    same(read(put_api_v1_me_friends_username, models.Friend, "dan", client=ann, body=body).name, "dan")
    same(read(get_api_v1_me_friends_username, models.Friend, "dan", client=ann).note, "coffee")
    same(delete_api_v1_me_friends_username.sync_detailed("dan", client=ann).status_code, 204)
    banned = models.PostSSubApiFriendBodyType.BANNED
    body = models.PostSSubApiFriendBody(type_=banned, name="dan", note="rude", duration=3)
    accepted(post_s_sub_api_friend, TEA, client=ann, body=body)
    listing = get_s_sub_about_location.sync(TEA, models.GetSSubAboutLocationLocation.BANNED, client=ann)
    same([account.name for account in listing.data.children], ["dan"])
    body = models.PostSSubApiUnfriendBody(type_=models.PostSSubApiUnfriendBodyType.BANNED, name="dan")
    done(post_s_sub_api_unfriend, TEA, client=ann, body=body)


@works("moderation")
def _():
    text = TEXT[0]
    done(post_api_remove, client=cat, body=models.PostApiRemoveBody(id=text))
    done(post_api_approve, client=cat, body=models.PostApiApproveBody(id=text))
    done(post_api_lock, client=cat, body=models.PostApiLockBody(id=text))
    accepted(post_api_set_subsite_sticky, client=cat, body=models.PostApiSetSubsiteStickyBody(id=text, state=True))
    [child] = get_api_info.sync(client=cat, id=text).data.children
    same([child.data.locked, child.data.stickied, child.data.approved_by], [True, True, "cat"])


@works("queues")
def _():
    def named(location):
        where = models.GetSSubAboutLocationLocation(location)
        return [child.data.name for child in read(get_s_sub_about_location, models.ThingListing, TEA, where, client=cat).data.children]

    same(sorted(named("reports")), sorted([CONTENT["reported"], CONTENT["reportedLink"]]))
    same(named("spam"), [CONTENT["removed"]])


@works("mod log")
def _():
    entries = get_s_sub_about_log.sync(TEA, client=ann, limit=50, mod="cat").data.children
    same([entry.data.action for entry in entries[:4]], ["sticky", "lock", "approvelink", "removelink"])


@works("flair")
def _():
    body = models.PostSSubApiFlairselectorBody(link=TEXT[0])
    [choice] = post_s_sub_api_flairselector.sync(TEA, client=bob, body=body).choices
    body = models.PostSSubApiSelectflairBody(link=TEXT[0], flair_template_id=choice.flair_template_id, text="Oolong")
    accepted(post_s_sub_api_selectflair, TEA, client=bob, body=body)
    body = models.PostSSubApiFlairBody(name="bob", text="Brewer", css_class="brewer")
    accepted(post_s_sub_api_flair, TEA, client=ann, body=body)
    users = get_s_sub_api_flairlist.sync(TEA, client=ann).users
    same([[user.user, user.flair_text] for user in users], [["bob", "Brewer"]])


@works("wiki")
def _():
    done(post_s_sub_api_wiki_edit, TEA, client=ann, body=models.PostSSubApiWikiEditBody(page="pots", content="# Pots", reason="begin"))
    same(read(get_s_sub_wiki_page, models.WikiPageThing, TEA, "pots", client=bob).data.content_md, "# Pots")
    true("pots" in read(get_s_sub_wiki_pages, models.WikiPageNamesThing, TEA, client=bob).data, "it is listed")
    revisions = get_s_sub_wiki_revisions_page.sync(TEA, "index", client=bob).data.children
    same([revision.reason for revision in revisions], ["better", "better"])


@works("settings and preferences")
def _():
    edit = lambda: read(get_s_sub_about_edit, models.SubsiteSettingsThing, TEA, client=ann).data
    before = edit().to_dict()
    sr = read(get_s_sub_about, models.SubsiteThing, TEA, client=ann).data.name
    body = models.PatchApiV1SubsiteUpdateSettingsBody(sr=sr, title="Tea and pots")
    accepted(patch_api_v1_subsite_update_settings, client=ann, body=body)
    same(edit().to_dict(), before | {"title": "Tea and pots"})
    same(read(patch_api_v1_me_prefs, models.Preferences, client=ann, body=models.SomePreferences(numsites=50)).numsites, 50)
    same(read(get_api_v1_me_prefs, models.SomePreferences, client=ann, fields="numsites").to_dict(), {"numsites": 50})
    same(len(read(get_s_sub_new, models.LinkListing, TEA, client=ann).data.children), 50)


@works("stylesheet")
def _():
    save = models.PostSSubApiSubsiteStylesheetBodyOp.SAVE
    body = models.PostSSubApiSubsiteStylesheetBody(op=save, stylesheet_contents=".pot { color: red }")
    accepted(post_s_sub_api_subsite_stylesheet, TEA, client=ann, body=body)
    same(read(get_s_sub_about_stylesheet, models.StylesheetThing, TEA, client=ann).data.stylesheet, ".pot { color: red }")


@works("subscriptions and search")
def _():
    done(post_api_subscribe, client=cat, body=models.PostApiSubscribeBody(action=models.PostApiSubscribeBodyAction.SUB, sr=TEA))
    mine = get_subs_mine_where.sync(models.GetSubsMineWhereWhere.SUBSCRIBER, client=cat).data.children
    true(TEA in [child.data.display_name for child in mine], "it is subscribed to")
    found = get_s_sub_search.sync(TEA, client=cat, q="water", restrict_sr=True)
    same([child.data.title for child in found.data.children], ["On water"])


@works("a stream of new comments")
def _():
    def newest(**anchor):
        return read(get_s_sub_comments, models.CommentListing, TEA, client=ann, limit=100, **anchor).data.children

    known = newest()[0].data.name
    written = [comment(CONTENT["thread"], text).name for text in ("A stream", "flows")]
    same([child.data.name for child in newest(before=known)][::-1], written)
