"""shreddit: overwrites and deletes what an account wrote."""

from behind_proxy import credentials, proxy, run, write_praw_ini
from report import same, true, works

import praw

SETTINGS = """
hours: 0
nuke_hours: 0
max_score: 100
sort: new
verbose: True
clear_vote: True
item: {item}
whitelist: []
whitelist_ids: []
multi_blacklist: []
multi_whitelist: []
trial_run: {trial}
whitelist_distinguished: True
whitelist_gilded: True
keep_a_copy: False
save_directory: kept
replacement_format: dot
wordlist: []
batch_cooldown: 1
debug: DEBUG
"""


def shred(item, trial):
    with open("shreddit.yml", "w") as file:
        file.write(SETTINGS.format(item=item, trial=trial))
    return run("shreddit", "--user", "dan")


with proxy() as address:
    write_praw_ini(address, dan=credentials("dan"))
    dan = praw.Reddit("dan", user_agent="dan", check_for_updates=False)
    tea = dan.subreddit("tea")

    @works("a trial run deletes nothing")
    def _():
        before = [one.id for one in dan.user.me().comments.new()]
        true(before, "nothing to delete")
        true("Trial run" in shred("comments", True), "no trial")
        same([one.id for one in dan.user.me().comments.new()], before)

    @works("comments, which are overwritten, and posts are deleted")
    def _():
        link = tea.submit("To be shredded", selftext="soon")
        shred("overview", False)
        same(list(dan.user.me().new()), [])
        same(dan.submission(link.id).author, None)
