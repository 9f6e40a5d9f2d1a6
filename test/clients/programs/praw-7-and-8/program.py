"""PRAW 7 and 8 as scripts of their users call them. With `proxy` as its argument, nothing but two addresses is configured."""

import base64
import json
import os
import sys
import urllib.parse
import urllib.request

SCENE = json.loads(os.environ["SCENE"])
CONTENT = SCENE["content"]
sys.path += [os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."), SCENE["adapters"]]

import praw
from praw.exceptions import RedditAPIException
from praw_rostra import rostra
from report import ruled_out, same, true, works

PRAW_8 = int(praw.__version__.split(".")[0]) >= 8
PROXY = SCENE.get("proxy") if "proxy" in sys.argv else None


def configured(**credentials):
    if PROXY is None:
        return rostra(SCENE["url"], **credentials)
    return praw.Reddit(oauth_url=PROXY, reddit_url=PROXY, short_url=PROXY, user_agent="a stock client", check_for_updates=False, **credentials)


def app_of(app):
    return {"client_id": app["client_id"], "client_secret": app["client_secret"] or None}


def site_of(name):
    return configured(username=name, password=CONTENT["password"], **app_of(CONTENT["accounts"][name]))


def browse(page, name):
    """What the person at the browser is led to after pressing Allow."""
    with urllib.request.urlopen(f"{SCENE['browser']}?{urllib.parse.urlencode({'as': name, 'url': page})}") as answer:
        return urllib.parse.parse_qs(urllib.parse.urlparse(answer.read().decode()).query)


def id_of(fullname):
    return fullname.split("_")[1]


def by_subject(items, subject):
    return next(item for item in items if item.subject == subject)


ann, bob, cat, dan = (site_of(name) for name in ("ann", "bob", "cat", "dan"))
tea = ann.subreddit("tea")
PIXEL = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
IMAGE = os.path.join(os.getcwd(), "leaf.png")
with open(IMAGE, "wb") as file:
    file.write(PIXEL)


@works("login by password")
def _():
    same(ann.user.me().name, "ann")


@works("login by code, refresh token")
def _():
    web = configured(redirect_uri=CONTENT["web"]["redirect_uri"], **app_of(CONTENT["web"]))
    page = web.auth.url(scopes=["identity", "read", "submit"], state="st&te", duration="permanent")
    led = browse(page, "ann")
    same(led["state"], ["st&te"])
    refresh = web.auth.authorize(led["code"][0])
    same(web.user.me().name, "ann")
    again = configured(refresh_token=refresh, **app_of(CONTENT["web"]))
    same(again.user.me().name, "ann")
    same(again.auth.scopes(), {"identity", "read", "submit"})


@works("read-only login")
def _():
    reader = configured(**app_of(CONTENT["web"]))
    true(reader.read_only, "not read-only")
    true(list(reader.subreddit("tea").hot(limit=3)), "nothing to read")


@works("request quota")
def _():
    ann.user.me(use_cache=False)
    true(ann.auth.limits["remaining"] is not None and ann.auth.limits["used"] >= 1, ann.auth.limits)


@works("me, karma, trophies")
def _():
    me = bob.user.me()
    true(me.link_karma + me.comment_karma > 0, "no karma")
    true("tea" in [subreddit.display_name for subreddit in bob.user.karma()], "no karma in tea")
    same(list(bob.redditor("ann").trophies()), [])


@works("preferences")
def _():
    preferences = bob.user.preferences
    preferences.update(numsites=40, over_18=True)
    found = preferences()
    same((found["numsites"], found["over_18"]), (40, True))


@works("listing of more than 250")
def _():
    links = list(tea.new(limit=None))
    true(len(links) >= len(CONTENT["links"]), f"{len(links)} links")
    same(len({link.id for link in links}), len(links))
    same([link.title for link in links if link.title.startswith("Leaf ")][:2], ["Leaf 270", "Leaf 269"])


@works("hot, top, new, comments")
def _():
    for listing in (tea.hot(limit=30), tea.top(time_filter="all", limit=30), ann.front.hot(limit=5), ann.subreddit("all").new(limit=5)):
        true(list(listing), "an empty page")
    list(tea.comments(limit=5))


@works("submit a text")
def _():
    text = tea.submit("A text", selftext="**Soft** & <hard>")
    same((text.title, text.selftext, text.author.name, text.is_self), ("A text", "**Soft** & <hard>", "ann", True))
    same(text.subreddit.display_name, "tea")


@works("submit a link, and the same twice")
def _():
    link = bob.subreddit("tea").submit("A link", url="https://example.com/once")
    same(link.url, "https://example.com/once")
    try:
        bob.subreddit("tea").submit("A link", url="https://example.com/once", resubmit=False)
    except RedditAPIException as error:
        same([item.error_type for item in error.items], ["ALREADY_SUB"])
    else:
        raise AssertionError("was accepted twice")


@works("comment tree, expanded")
def _():
    thread = ann.submission(id_of(CONTENT["thread"]))
    left = thread.comments.replace_more(limit=None)
    same(left, [])
    found = thread.comments.list()
    same(len({comment.id for comment in found}), len(found))
    true(len(found) >= CONTENT["comments"] - 1, f"{len(found)} of {CONTENT['comments']}")
    deepest = next(comment for comment in found if comment.body == "Reply 14")
    same(deepest.parent().body, "Reply 13")


@works("comment, reply, refresh, parent")
def _():
    text = tea.submit("For comments", selftext="")
    comment = text.reply(body="One")
    reply = bob.comment(comment.id).reply(body="Two")
    same(reply.parent().id, comment.id)
    comment.refresh()
    same([one.body for one in comment.replies], ["Two"])
    same(reply.submission.id, text.id)


@works("edit and delete")
def _():
    text = tea.submit("To edit", selftext="old")
    same(text.edit(body="new").selftext, "new")
    comment = text.reply(body="old")
    same(comment.edit(body="new").body, "new")
    comment.delete()
    same(ann.comment(comment.id).author, None)
    text.delete()
    same(ann.submission(text.id).author, None)


@works("vote and retract")
def _():
    link = ann.submission(id_of(CONTENT["links"][5]))
    before = link.ups
    link.upvote()
    same((ann.submission(link.id).likes, ann.submission(link.id).ups), (True, before + 1))
    true(link.id in [one.id for one in ann.user.me().upvoted(limit=10)], "not among the upvoted")
    link.downvote()
    true(ann.submission(link.id).downs >= 1, "no downs")


@works("save, unsave, hide, unhide")
def _():
    link, me = ann.submission(id_of(CONTENT["links"][6])), ann.user.me()
    link.save()
    true(link in list(me.saved(limit=10)), "not saved")
    link.unsave()
    true(link not in list(me.saved(limit=10)), "still saved")
    link.hide()
    true(link in list(me.hidden(limit=10)), "not hidden")
    link.unhide()
    same(list(me.hidden(limit=10)), [])


@works("inbox: unread, mark read, reply")
def _():
    message = by_subject(ann.inbox.unread(limit=None), "Hello")
    same((message.author.name, message.body), ("bob", "Come to tea"))
    true(message.reply(body="Gladly").body == "Gladly", "no reply")
    message.mark_read()
    true("Hello" not in [item.subject for item in ann.inbox.unread(limit=None)], "still unread")
    message.mark_unread()
    true("Hello" in [item.subject for item in ann.inbox.unread(limit=None)], "still read")


@works("inbox: compose, sent, conversation")
def _():
    dan.redditor("ann").message(subject="A question", message="Green?")
    same(next(dan.inbox.sent(limit=1)).dest, "ann")
    question = by_subject(ann.inbox.messages(limit=5), "A question")
    question.reply(body="Black")
    same(next(dan.inbox.unread(limit=1)).body, "Black")
    same([one.body for one in ann.inbox.message(question.id).replies], ["Black"])


@works("inbox: comment replies, mentions, collapse, delete")
def _():
    replies = list(bob.inbox.submission_replies(limit=5))
    true(replies and replies[0].subject and replies[0].submission.id == id_of(CONTENT["thread"]), "no replies")
    bob.inbox.mark_read(replies[:2])
    list(bob.inbox.comment_replies(limit=5)), list(bob.inbox.mentions(limit=5)), list(bob.inbox.all(limit=5))
    message = by_subject(ann.inbox.all(limit=None), "Again")
    message.collapse(), message.uncollapse()
    message.delete()
    true("Again" not in [item.subject for item in ann.inbox.messages(limit=None)], "still there")
    bob.inbox.mark_all_read()


@works("moderator mail")
def _():
    dan.subreddit("tea").message(subject="To the house", message="May I?")
    mail = cat.get("r/tea/message/moderator/", params={"limit": 5})
    true("To the house" in [item.subject for item in mail], "no mail")


@works("friends")
def _():
    friend = ann.redditor("bob")
    friend.friend(note="knows his tea")
    true("bob" in [one.name for one in ann.user.friends()], "no friend")
    same(friend.friend_info().note, "knows his tea")
    friend.unfriend()
    same(list(ann.user.friends()), [])


@works("block and unblock")
def _():
    pest = bob.redditor("dan")
    pest.block()
    same([one.name for one in bob.user.blocked()], ["dan"])
    pest.unblock()
    same(list(bob.user.blocked()), [])


def relation(name, relationship, add):
    @works(name)
    def _():
        add(relationship)
        true("dan" in [one.name for one in relationship(limit=None)], "not listed")
        same([one.name for one in relationship(redditor="dan")], ["dan"])
        relationship.remove("dan")
        true("dan" not in [one.name for one in relationship(limit=None)], "still listed")


relation("ban and unban", tea.banned, lambda banned: banned.add("dan", ban_reason="rude", ban_message="Be nice", duration=3, note="twice"))
relation("mute and unmute", tea.muted, lambda muted: muted.add("dan", note="loud"))
relation("contributor", tea.contributor, lambda contributors: contributors.add("dan"))
relation("wiki contributor", tea.wiki.contributor, lambda contributors: contributors.add("dan"))
relation("wiki ban", tea.wiki.banned, lambda banned: banned.add("dan"))


@works("moderators: invite, accept, permissions, remove, leave")
def _():
    tea.moderator.invite("dan", permissions=["posts", "wiki"])
    tea.moderator.update_invite("dan", permissions=["posts"])
    if PRAW_8 or hasattr(tea.moderator, "invited"):
        true("dan" in [one.name for one in tea.moderator.invited()], "no invitation")
    invitation = by_subject(dan.inbox.messages(), "invitation to moderate /r/tea")
    true(invitation.body.startswith("gadzooks!"), invitation.body)
    dan.subreddit("tea").mod.accept_invite()
    permissions = {one.name: one.mod_permissions for one in tea.moderator()}
    same(permissions["dan"], ["posts"])
    tea.moderator.update("dan", permissions=["mail"])
    same({one.name: one.mod_permissions for one in tea.moderator()}["dan"], ["mail"])
    tea.moderator.remove("dan")
    tea.moderator.invite("dan")
    tea.moderator.remove_invite("dan")
    tea.moderator.invite("dan")
    dan.subreddit("tea").mod.accept_invite()
    dan.subreddit("tea").moderator.leave()
    true("dan" not in [one.name for one in tea.moderator()], "still a moderator")


@works("approve, remove, lock, distinguish, sticky")
def _():
    text = bob.subreddit("tea").submit("To moderate", selftext="")
    mine = ann.submission(text.id)
    mine.mod.remove(spam=True)
    true(ann.submission(text.id).banned_by is not None, "not removed")
    mine.mod.approve()
    same(ann.submission(text.id).approved_by.name if hasattr(ann.submission(text.id).approved_by, "name") else ann.submission(text.id).approved_by, "ann")
    mine.mod.lock()
    try:
        dan.submission(text.id).reply(body="Too late")
    except RedditAPIException as error:
        same([item.error_type for item in error.items], ["THREAD_LOCKED"])
    else:
        raise AssertionError("the lock holds nobody back")
    mine.mod.unlock()
    comment = mine.reply(body="From the house")
    comment.mod.distinguish(how="yes", sticky=True)
    same((ann.comment(comment.id).refresh().distinguished, ann.comment(comment.id).refresh().stickied), ("moderator", True))
    comment.mod.undistinguish()
    mine.mod.sticky()
    true(ann.submission(text.id).stickied, "not sticky")
    same(tea.sticky(number=1).id, text.id)
    mine.mod.sticky(state=False)


@works("nsfw, spoiler, contest mode, suggested sort")
def _():
    text = tea.submit("To mark", selftext="")
    text.mod.nsfw()
    true(ann.submission(text.id).over_18, "not marked")
    text.mod.sfw()
    text.mod.contest_mode(), text.mod.contest_mode(state=False)
    text.mod.suggested_sort(sort="new")
    same(ann.submission(text.id).suggested_sort, "new")
    text.disable_inbox_replies(), text.enable_inbox_replies()


@works("report, ignore reports")
def _():
    dan.submission(id_of(CONTENT["links"][9])).report("Too cold")
    link = ann.submission(id_of(CONTENT["links"][9]))
    same([list(report)[:2] for report in link.user_reports], [["Too cold", 1]])
    link.mod.ignore_reports(), link.mod.unignore_reports()


@works("queues: modqueue, reports, spam, edited, unmoderated")
def _():
    mod = cat.subreddit("tea").mod
    for queue, fullname in ((mod.reports, "reported"), (mod.reports, "reportedLink"), (mod.modqueue, "reported"), (mod.spam, "removed")):
        true(id_of(CONTENT[fullname]) in [one.id for one in queue(limit=None)], f"{fullname} is missing")
    true("Comment 7, edited" in [getattr(one, "body", None) for one in mod.edited(limit=None)], "nothing edited")
    same({type(one).__name__ for one in mod.modqueue(only="submissions", limit=None)}, {"Submission"})
    true(len(list(mod.unmoderated(limit=None))) > 250, "few are unmoderated")


@works("mod log")
def _():
    entry = next(tea.mod.log(action="removecomment", limit=1))
    same((entry.action, entry.mod.name, entry.target_author, entry.subreddit), ("removecomment", "cat", "bob", "tea"))
    same({one.mod.name for one in tea.mod.log(mod="cat", limit=None)}, {"cat"})


@works("flair templates: add, change, delete, clear")
def _():
    for templates in (tea.flair.templates, tea.flair.link_templates):
        templates.add(text="New", css_class="new", text_editable=True)
        added = next(one for one in templates if one["text"] == "New")
        templates.update(added["id"], text="Newer", css_class="new")
        true("Newer" in [one["text"] for one in templates], "not changed")
        templates.delete(added["id"])
        true("Newer" not in [one["text"] for one in templates], "not deleted")


@works("flair: set, list, select, delete")
def _():
    tea.flair.set("bob", text="Regular", css_class="regular")
    same([(one["user"].name, one["flair_text"]) for one in tea.flair(redditor="bob")], [("bob", "Regular")])
    same(tea.flair.update([{"user": "dan", "flair_text": "Coffee", "flair_css_class": "brown"}])[0]["ok"], True)
    tea.flair.delete("dan")
    link = tea.submit("With flair", selftext="")
    link.mod.flair(text="Mine", css_class="mine")
    same(ann.submission(link.id).link_flair_text, "Mine")
    mine = ann.submission(link.id)
    choice = mine.flair.choices()[0]
    mine.flair.select(choice["flair_template_id"], text="Greener")
    same(ann.submission(link.id).link_flair_text, "Greener")


@works("flair: configure")
def _():
    tea.flair.configure(position="left", self_assign=True, link_position="right", link_self_assign=True)


@works("wiki: read, create, edit, revisions, revert")
def _():
    same(tea.wiki["index"].content_md, "Pour slowly.")
    page = tea.wiki.create(name="brewing", content="One", reason="new")
    page.edit(content="Two", reason="better")
    revisions = list(page.revisions())
    same([one["reason"] for one in revisions], ["better", "new"])
    same(page.revision(revisions[1]["id"]).content_md, "One")
    page.revision(revisions[1]["id"]).mod.revert()
    same(tea.wiki["brewing"].content_md, "One")
    true({"index", "brewing"} <= {one.name for one in tea.wiki}, "a page is missing")
    true(len(list(tea.wiki.revisions(limit=None))) >= 5, "few revisions")
    list(page.discussions(limit=3))


@works("wiki: settings, editors")
def _():
    page = tea.wiki["index"]
    page.mod.add("bob")
    same([one["data"]["name"] for one in page.mod.settings()["editors"]], ["bob"])
    page.mod.update(listed=False, permlevel=1)
    settings = page.mod.settings()
    same((settings["listed"], settings["permlevel"]), (False, 1))
    page.mod.remove("bob")
    same(list(page.mod.settings()["editors"]), [])


@works("subreddit: create, about, settings")
def _():
    made = ann.subreddit.create("herbs", title="Herbs", link_type="any", subreddit_type="public", wikimode="disabled")
    same((made.title, made.user_is_moderator), ("Herbs", True))
    made.mod.update(title="All herbs", description="Mint", public_description="Fresh")
    same(made.mod.settings()["title"], "All herbs")
    same(ann.subreddit("herbs").public_description, "Fresh")


@works("subscribe, my subreddits, search for subreddits")
def _():
    dan.subreddit("tea").subscribe()
    true("tea" in [one.display_name for one in dan.user.subreddits(limit=None)], "not subscribed")
    dan.subreddit("tea").unsubscribe()
    same([one.display_name for one in cat.user.moderator_subreddits(limit=None)], ["tea"])
    true("tea" in [one.display_name for one in bob.user.contributor_subreddits(limit=None)], "no contributor")
    true("tea" in [one.display_name for one in ann.subreddits.search("about tea")], "not found")
    same([one.display_name for one in ann.subreddits.search_by_name("te")], ["tea"])
    same([one.display_name for one in ann.subreddits.search_by_name("tea", exact=True)], ["tea"])
    for listing in (ann.subreddits.new(limit=5), ann.subreddits.popular(limit=5)):
        true(list(listing), "an empty page")
    list(ann.subreddits.default(limit=5))


@works("rules")
def _():
    same(list(tea.rules), [])
    tea.rules.mod.add(short_name="Be kind", kind="all", description="Always")
    rule = next(iter(ann.subreddit("tea").rules))
    same((rule.short_name, rule.kind), ("Be kind", "all"))
    rule.mod.update(description="Ever")
    rule.mod.delete()
    same(list(ann.subreddit("tea").rules), [])


def image():
    from praw.models import StylesheetImage

    return StylesheetImage(IMAGE)


@works("stylesheet: update, upload images")
def _():
    uploaded = tea.stylesheet.upload(image(), name="leaf") if PRAW_8 else tea.stylesheet.upload(name="leaf", image_path=IMAGE)
    true(uploaded["img_src"].startswith("http"), uploaded)
    tea.stylesheet.update(".leaf { background-image: url(%%leaf%%) }", reason="leaves")
    sheet = tea.stylesheet()
    true(".leaf" in sheet.stylesheet, sheet.stylesheet)
    same([one["name"] for one in sheet.images], ["leaf"])
    tea.stylesheet.upload_header(image() if PRAW_8 else IMAGE)
    tea.stylesheet.delete_header()
    tea.stylesheet.update("")
    tea.stylesheet.delete_image("leaf")


@works("stream of new comments")
def _():
    bob.submission(id_of(CONTENT["thread"])).reply(body="Streamed")
    seen = []
    for comment in tea.stream.comments(pause_after=0):
        if comment is None:
            break
        seen.append(comment.body)
    true("Streamed" in seen, f"{len(seen)} comments without it")
    fresh = ann.subreddit("tea").stream.comments(skip_existing=True, pause_after=0)
    next(fresh)
    bob.submission(id_of(CONTENT["thread"])).reply(body="Fresh")
    same(next(one for one in fresh if one is not None).body, "Fresh")


@works("stream of new links, inbox and queues")
def _():
    for stream in (tea.stream.submissions(pause_after=0), ann.inbox.stream(pause_after=0), tea.mod.stream.log(pause_after=0), tea.mod.stream.modqueue(pause_after=0)):
        true(next(stream) is not None, "an empty stream")


@works("multis: create, add, change, copy, rename, delete")
def _():
    multi = ann.multireddit.create(display_name="Hot drinks", subreddits=["tea"], visibility="public", description_md="Hot")
    same([one.display_name for one in multi.subreddits], ["tea"])
    true(list(multi.new(limit=3)), "an empty multi")
    multi.remove(ann.subreddit("tea"))
    multi.add(ann.subreddit("tea"))
    multi.update(display_name="Warm drinks")
    copied = multi.copy(display_name="Copied")
    true({"Warm drinks", "Copied"} <= {one.display_name for one in ann.user.multireddits()}, "a multi is missing")
    true("Warm drinks" in [one.display_name for one in bob.redditor("ann").multireddits()], "not public")
    copied.delete(), multi.delete()
    same(ann.user.multireddits(), [])


@works("filters of r/all")
def _():
    filters = dan.subreddit("all").filters
    filters.add("tea")
    same([one.display_name for one in filters], ["tea"])
    same(list(dan.subreddit("all").new(limit=5)), [])
    filters.remove("tea")


@works("search")
def _():
    found = list(tea.search("water", sort="relevance", time_filter="all"))
    true("On water" in [one.title for one in found], "not found")
    found = list(ann.subreddit("all").search("title:leaf", limit=None, sort="new"))
    true(len(found) > 200, f"{len(found)} found")


@works("info, by_id, duplicates")
def _():
    names = [f"t3_{id_of(CONTENT['links'][n])}" for n in (1, 0)]
    same([one.fullname for one in ann.info(fullnames=names)], names)
    same([one.title for one in ann.info(url="https://example.com/leaf/3")], ["Leaf 3"])
    list(ann.submission(id_of(CONTENT["links"][1])).duplicates())
    true(tea.random() is not None if hasattr(tea, "random") else True, "nothing at random")


@works("addresses that lead somewhere, names of scopes, popular")
def _():
    link = ann.submission(id_of(CONTENT["thread"]))
    base = PROXY or SCENE["url"]
    true(link.permalink.startswith("/r/tea/comments/"), link.permalink)
    true(link.url.startswith(f"{base}/r/tea/comments/"), link.url)
    same(ann.submission(url=link.url).id, link.id)
    same(ann.submission(url=link.shortlink).id, link.id)
    for address in (link.url, link.shortlink, base + link.permalink, next(ann.redditor("bob").comments.new()).link_permalink):
        with urllib.request.urlopen(f"{address}.json" if address == link.shortlink else f"{address}.json".replace("/.json", ".json")) as answer:
            same(json.load(answer)[0]["kind"], "Listing")
    same((tea.url, tea.display_name_prefixed), ("/r/tea/", "r/tea"))
    true(list(ann.subreddit("popular").hot(limit=1)), "nothing popular")
    web = configured(redirect_uri=CONTENT["web"]["redirect_uri"], **app_of(CONTENT["web"]))
    led = browse(web.auth.url(scopes=["mysubreddits", "modlog", "modnote"], state="x"), "ann")
    web.auth.authorize(led["code"][0])
    same(web.auth.scopes(), {"mysubreddits", "read"})


@works("user pages")
def _():
    user = ann.redditor("bob")
    for listing in (user.new(limit=5), user.submissions.new(limit=None), user.comments.new(limit=None), user.submissions.top(limit=3)):
        true(list(listing), "an empty page")
    true(len(list(user.submissions.new(limit=None))) >= 250, "few links")
    same(ann.username_available("nobody-yet") if hasattr(ann, "username_available") else True, True)
    true(user.link_karma >= 1 and not user.is_gold, "no karma")


@works("traffic, by the day")
def _():
    true(list(tea.traffic()), "no day")


def not_offered(name, reason, work):
    ruled_out(name, reason, "404", work)


not_offered("polls, galleries, drafts", "the interface knows links and texts only", lambda: list(ann.drafts()))
not_offered("live threads", "the interface has none", lambda: ann.live.now())
not_offered("modern moderator mail", "moderator mail is that of `/message/moderator`", lambda: list(tea.modmail.conversations()))
not_offered("removal reasons", "the interface has none", lambda: list(tea.mod.removal_reasons))
not_offered("emoji, widgets", "the interface has none", lambda: list(tea.emoji))
not_offered("collections", "the interface has none", lambda: list(tea.collections))
not_offered("moderator notes", "the interface has none", lambda: list(tea.mod.notes.redditors("bob")))
not_offered("order of flair templates", "templates are in the order in which they were made", lambda: tea.flair.templates.reorder([]))
not_offered("moderated subreddits of others", "the interface lists one's own", lambda: ann.redditor("cat").moderated())
not_offered("trusted users", "the interface has friends", lambda: list(ann.user.trusted()))
not_offered("popular users, search for users", "the interface lists no accounts", lambda: list(ann.redditors.search("bob")))
