"""Async PRAW as scripts of its users call it."""

import asyncio
import base64
import json
import os
import sys
import urllib.parse
import urllib.request

SCENE = json.loads(os.environ["SCENE"])
CONTENT = SCENE["content"]
sys.path += [os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."), SCENE["adapters"]]

from asyncpraw.exceptions import RedditAPIException
from asyncpraw.models import StylesheetImage
from praw_rostra import async_rostra
from report import ruled_out_async, same, true, works_async

PIXEL = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")


def app_of(app):
    return {"client_id": app["client_id"], "client_secret": app["client_secret"] or None}


def site_of(name):
    return async_rostra(SCENE["url"], username=name, password=CONTENT["password"], **app_of(CONTENT["accounts"][name]))


def browse(page, name):
    """What the person at the browser is led to after pressing Allow."""
    with urllib.request.urlopen(f"{SCENE['browser']}?{urllib.parse.urlencode({'as': name, 'url': page})}") as answer:
        return urllib.parse.parse_qs(urllib.parse.urlparse(answer.read().decode()).query)


def id_of(fullname):
    return fullname.split("_")[1]


async def all_of(generator):
    return [one async for one in generator]


async def names_of(generator):
    return [one.name async for one in generator]


async def by_subject(items, subject):
    return next(item for item in await all_of(items) if item.subject == subject)


async def main():
    ann, bob, cat, dan = sites = [site_of(name) for name in ("ann", "bob", "cat", "dan")]
    tea, bobs, cats, dans = [await site.subreddit("tea") for site in sites]

    async def login():
        same((await ann.user.me()).name, "ann")

    await works_async("login by password", login)

    async def code():
        web = async_rostra(SCENE["url"], redirect_uri=CONTENT["web"]["redirect_uri"], **app_of(CONTENT["web"]))
        page = web.auth.url(scopes=["identity", "read"], state="state", duration="permanent")
        led = await asyncio.to_thread(browse, page, "ann")
        refresh = await web.auth.authorize(led["code"][0])
        again = async_rostra(SCENE["url"], refresh_token=refresh, **app_of(CONTENT["web"]))
        same((await again.user.me()).name, "ann")
        same(await again.auth.scopes(), {"identity", "read"})
        await web.close(), await again.close()

    await works_async("login by code, refresh token", code)

    async def me():
        karma = await bob.user.karma()
        same([subreddit.display_name for subreddit in karma], ["tea"])
        same(await (await bob.redditor("ann")).trophies(), [])
        await bob.user.preferences.update(numsites=40)
        same((await bob.user.preferences())["numsites"], 40)

    await works_async("me, karma, trophies, preferences", me)

    async def listing():
        links = await all_of(tea.new(limit=None))
        true(len(links) >= len(CONTENT["links"]), f"{len(links)} links")
        for one in (tea.hot(limit=5), tea.top(time_filter="all", limit=5), tea.comments(limit=5), ann.front.new(limit=5)):
            true(await all_of(one), "an empty page")

    await works_async("listing of more than 250", listing)

    async def submit():
        text = await tea.submit("A text", selftext="**Soft** & <hard>")
        await text.load()
        same((text.title, text.selftext, text.author.name), ("A text", "**Soft** & <hard>", "ann"))
        link = await bobs.submit("A link", url="https://example.com/once")
        await link.load()
        same(link.url, "https://example.com/once")

    await works_async("submit a text and a link", submit)

    async def tree():
        thread = await ann.submission(id_of(CONTENT["thread"]))
        same(await thread.comments.replace_more(limit=None), [])
        found = thread.comments.list()
        true(len(found) >= CONTENT["comments"] - 1, f"{len(found)} of {CONTENT['comments']}")

    await works_async("comment tree, expanded", tree)

    async def comment():
        text = await tea.submit("For comments", selftext="old")
        mine = await text.reply(body="One")
        reply = await (await bob.comment(mine.id, fetch=False)).reply(body="Two")
        same((await reply.parent()).id, mine.id)
        await mine.refresh()
        same([one.body for one in mine.replies], ["Two"])
        same((await reply.edit(body="Three")).body, "Three")
        await reply.delete()
        await text.load()
        same((await text.edit(body="new")).selftext, "new")
        await text.delete()

    await works_async("comment, reply, edit, delete", comment)

    async def vote():
        link = await ann.submission(id_of(CONTENT["links"][5]))
        await link.upvote()
        same((await ann.submission(link.id)).likes, True)
        await link.downvote()

    await works_async("vote", vote)

    async def save():
        link, mine = await ann.submission(id_of(CONTENT["links"][6])), await ann.user.me()
        await link.save()
        same([one.id for one in await all_of(mine.saved(limit=5))], [link.id])
        await link.unsave()
        await link.hide()
        same([one.id for one in await all_of(mine.hidden(limit=5))], [link.id])
        await link.unhide()

    await works_async("save, unsave, hide, unhide", save)

    async def inbox():
        message = await by_subject(ann.inbox.unread(limit=None), "Hello")
        same((message.author.name, message.body), ("bob", "Come to tea"))
        same((await message.reply(body="Gladly")).body, "Gladly")
        await message.mark_read()
        true("Hello" not in [one.subject for one in await all_of(ann.inbox.unread(limit=None))], "still unread")
        await (await dan.redditor("ann")).message(subject="A question", message="Green?")
        question = await by_subject(ann.inbox.messages(limit=5), "A question")
        await question.reply(body="Black")
        same([one.body for one in (await ann.inbox.message(question.id)).replies], ["Black"])
        same([one.dest for one in await all_of(dan.inbox.sent(limit=1))], ["ann"])
        await question.delete()
        await bob.inbox.mark_all_read()

    await works_async("inbox: unread, mark read, reply, compose, sent", inbox)

    async def friends():
        friend = await ann.redditor("bob")
        await friend.friend(note="knows")
        same([one.name for one in await ann.user.friends()], ["bob"])
        await friend.unfriend()
        pest = await bob.redditor("dan", fetch=True)
        await pest.block()
        same([one.name for one in await bob.user.blocked()], ["dan"])
        await pest.unblock()

    await works_async("friends, block", friends)

    async def relations():
        for relationship, given in (
            (tea.banned, {"ban_reason": "rude", "duration": 3}),
            (tea.muted, {}),
            (tea.contributor, {}),
            (tea.wiki.banned, {}),
            (tea.wiki.contributor, {}),
        ):
            await relationship.add("dan", **given)
            true("dan" in await names_of(relationship(limit=None)), "not listed")
            await relationship.remove("dan")
            true("dan" not in await names_of(relationship(limit=None)), "still listed")

    await works_async("ban, mute, contributor, wiki ban, wiki contributor", relations)

    async def moderators():
        async def permissions():
            return {one.name: one.mod_permissions for one in await all_of(tea.moderator)}.get("dan")

        await tea.moderator.invite("dan", permissions=["posts"])
        same(await names_of(tea.moderator.invited()), ["dan"])
        await dans.mod.accept_invite()
        same(await permissions(), ["posts"])
        await tea.moderator.update("dan", permissions=["mail"])
        same(await permissions(), ["mail"])
        await dans.moderator.leave()
        same(await permissions(), None)

    await works_async("moderators: invite, accept, permissions, leave", moderators)

    async def moderation():
        text = await ann.submission((await bobs.submit("To moderate", selftext="")).id)
        await text.mod.remove(spam=True)
        same(str((await ann.submission(text.id)).banned_by), "ann")
        await text.mod.approve()
        await text.mod.lock()
        try:
            await (await dan.submission(text.id)).reply(body="Too late")
        except RedditAPIException as error:
            same([item.error_type for item in error.items], ["THREAD_LOCKED"])
        else:
            raise AssertionError("the lock holds nobody back")
        await text.mod.unlock()
        mine = await text.reply(body="From the house")
        await mine.mod.distinguish(how="yes", sticky=True)
        await text.mod.sticky()
        same((await tea.sticky(number=1)).id, text.id)
        await text.mod.sticky(state=False)
        await text.mod.nsfw(), await text.mod.sfw()
        await text.mod.suggested_sort(sort="new")
        await (await dan.submission(id_of(CONTENT["links"][9]))).report("Too cold")
        await text.mod.ignore_reports()
        await text.mod.unignore_reports()

    await works_async("approve, remove, lock, distinguish, sticky, report", moderation)

    async def queues():
        for queue, fullname in ((cats.mod.reports, "reported"), (cats.mod.modqueue, "reportedLink"), (cats.mod.spam, "removed")):
            true(id_of(CONTENT[fullname]) in [one.id for one in await all_of(queue(limit=None))], f"{fullname} is missing")
        true(await all_of(cats.mod.edited(limit=5)), "nothing edited")
        true(len(await all_of(cats.mod.unmoderated(limit=None))) > 250, "few are unmoderated")
        entry = (await all_of(tea.mod.log(action="removecomment", limit=1)))[0]
        same((entry.action, entry.mod.name, entry.target_author), ("removecomment", "cat", "bob"))

    await works_async("queues, mod log", queues)

    async def templates():
        await tea.flair.templates.add(text="New", css_class="new", text_editable=True)
        added = next(one for one in await all_of(tea.flair.templates) if one["text"] == "New")
        await tea.flair.templates.update(added["id"], text="Newer")
        true("Newer" in [one["text"] for one in await all_of(tea.flair.templates)], "not changed")
        await tea.flair.templates.delete(added["id"])

    await works_async("flair: templates", templates)

    async def flair():
        await tea.flair.set("bob", text="Regular", css_class="regular")
        same([one["flair_text"] async for one in tea.flair(redditor="bob")], ["Regular"])
        text = await ann.submission((await tea.submit("With flair", selftext="")).id)
        choices = await text.flair.choices()
        await text.flair.select(choices[0]["flair_template_id"], text="Greener")
        same((await ann.submission(text.id)).link_flair_text, "Greener")

    await works_async("flair: set, list, select", flair)

    async def wiki():
        same((await tea.wiki.get_page("index")).content_md, "Pour slowly.")
        page = await tea.wiki.create(name="brewing", content="One", reason="new")
        await page.edit(content="Two", reason="better")
        revisions = await all_of(page.revisions())
        same([one["reason"] for one in revisions], ["better", "new"])
        await (await page.revision(revisions[1]["id"])).mod.revert()
        same((await tea.wiki.get_page("brewing")).content_md, "One")
        await page.mod.add("bob")
        await page.mod.update(listed=False, permlevel=1)
        settings = await page.mod.settings()
        same((settings["permlevel"], [one["data"]["name"] for one in settings["editors"]]), (1, ["bob"]))
        await page.mod.remove("bob")
        true("index" in [one.name async for one in tea.wiki], "a page is missing")

    await works_async("wiki: edit, revisions, revert, settings, editors", wiki)

    async def subreddit():
        made = await ann.subreddit.create("herbs", title="Herbs", link_type="any", subreddit_type="public", wikimode="disabled")
        await made.mod.update(title="All herbs", public_description="Fresh")
        same((await made.mod.settings())["title"], "All herbs")
        same((await ann.subreddit("herbs", fetch=True)).public_description, "Fresh")
        await dans.subscribe()
        true("tea" in [one.display_name async for one in dan.user.subreddits()], "not subscribed")
        await dans.unsubscribe()
        same([one.display_name async for one in ann.subreddits.search_by_name("te")], ["tea"])
        same([rule.short_name async for rule in tea.rules], [])

    await works_async("subreddit: create, settings, subscribe, search", subreddit)

    async def stylesheet():
        with open("leaf.png", "wb") as file:
            file.write(PIXEL)
        await tea.stylesheet.upload(StylesheetImage("leaf.png"), name="leaf")
        await tea.stylesheet.update(".leaf { background-image: url(%%leaf%%) }", reason="leaves")
        true(".leaf" in (await tea.stylesheet()).stylesheet, "not the stylesheet")
        await tea.stylesheet.upload_header(StylesheetImage("leaf.png"))
        await tea.stylesheet.delete_header()

    await works_async("stylesheet: update, upload images", stylesheet)

    async def stream():
        fresh = (await ann.subreddit("tea")).stream.comments(skip_existing=True, pause_after=0)
        await anext(fresh)
        await (await bob.submission(id_of(CONTENT["thread"]))).reply(body="Fresh")
        async for one in fresh:
            if one is not None:
                same(one.body, "Fresh")
                break
        true(await anext(tea.stream.submissions(pause_after=0)), "no links")

    await works_async("stream of new comments and links", stream)

    async def multis():
        multi = await ann.multireddit.create(display_name="Hot drinks", subreddits=["tea"], visibility="public")
        true(await all_of(multi.new(limit=3)), "an empty multi")
        await multi.remove(tea)
        await multi.add(tea)
        await multi.update(display_name="Warm drinks")
        copied = await multi.copy(display_name="Copied")
        same(sorted(one.display_name for one in await ann.user.multireddits()), ["Copied", "Warm drinks"])
        await copied.delete()
        await multi.delete()

    await works_async("multis", multis)

    async def search():
        true("On water" in [one.title for one in await all_of(tea.search("water"))], "not found")
        found = await all_of((await ann.subreddit("all")).search("title:leaf", limit=None, sort="new"))
        true(len(found) > 200, f"{len(found)} found")
        fullnames = [f"t3_{id_of(CONTENT['links'][n])}" for n in (1, 0)]
        same([one.fullname for one in await all_of(ann.info(fullnames=fullnames))], fullnames)
        user = await ann.redditor("bob")
        true(len(await all_of(user.submissions.new(limit=None))) >= 250, "few links")

    await works_async("search, info, user pages", search)

    async def traffic():
        true(list(await tea.traffic()), "no day")

    await works_async("traffic, by the day", traffic)

    await ruled_out_async("live threads", "the interface has none", "404", ann.live.now)
    await ruled_out_async("modern moderator mail", "moderator mail is that of `/message/moderator`", "404", lambda: all_of(tea.modmail.conversations()))
    await ruled_out_async("removal reasons", "the interface has none", "404", lambda: all_of(tea.mod.removal_reasons))
    await ruled_out_async("emoji, widgets", "the interface has none", "404", lambda: all_of(tea.emoji))
    await ruled_out_async("moderator notes", "the interface has none", "404", lambda: all_of(tea.mod.notes.redditors("bob")))

    for site in sites:
        await site.close()


asyncio.run(main())
