"""BDFR, the bulk downloader for Reddit, which brings an app of its own: the proxy puts another in its place."""

import glob
import json

from behind_proxy import CONTENT, id_of, proxy, run, write_praw_ini
from report import same, true, works


def archived(directory, *options):
    run("bdfr", "archive", directory, "--folder-scheme", "", "--file-scheme", "{POSTID}", *options)
    return {file: json.load(open(file)) for file in glob.glob(f"{directory}/**/*.json", recursive=True)}


with proxy(app=CONTENT["web"]) as address:
    write_praw_ini(address)

    @works("archive of a subreddit")
    def _():
        links = archived("listed", "--subreddit", "tea", "--sort", "new", "--limit", "5")
        same(len(links), 5)
        for link in links.values():
            true(link["permalink"].startswith("/r/tea/comments/"), link["permalink"])

    @works("archive of a link with its comments")
    def _():
        [thread] = archived("one", "--link", f"{address}/r/tea/comments/{id_of(CONTENT['thread'])}/").values()
        same((thread["title"], thread["author"]), ("On water", "bob"))
        true(thread["comments"] and thread["comments"][0]["replies"] is not None, "no comments")

    @works("archive of what a user submitted")
    def _():
        links = archived("user", "--user", "bob", "--submitted", "--limit", "3")
        same({link["author"] for link in links.values()}, {"bob"})
