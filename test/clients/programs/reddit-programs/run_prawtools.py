"""prawtools: the statistics of a subreddit, which it also submits there."""

from behind_proxy import credentials, proxy, run, write_praw_ini
from report import true, works

import praw

with proxy() as address:
    write_praw_ini(address, stats=credentials("ann"))
    ann = praw.Reddit("stats", user_agent="a founder", check_for_updates=False)
    ann.subreddit.create("subreddit_stats", title="Statistics", link_type="any", subreddit_type="public", wikimode="disabled")

    @works("subreddit_stats")
    def _():
        output = run("subreddit_stats", "--disable-update-check", "--site", "stats", "tea", "all")
        true("/r/subreddit_stats/comments/" in output, output)
        report = next(ann.subreddit("subreddit_stats").new(limit=1))
        true("Top Submitters" in report.selftext and "/comments/" in report.selftext, report.selftext[:400])
        true("Leaf " in report.selftext, report.selftext[:400])
