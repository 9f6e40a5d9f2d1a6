"""gallery-dl, which knows https://www.reddit.com alone and an app of its own."""

import json

from behind_proxy import CONTENT, id_of, run, secure_proxy
from report import same, true, works

with secure_proxy(app=CONTENT["installed"]) as environment:

    def extracted(address, *options):
        output = run("gallery-dl", "--config-ignore", *options, "--dump-json", address, environment=environment)
        return json.loads(output[output.index("[\n") :])

    @works("links of a subreddit")
    def _():
        found = extracted("https://www.reddit.com/r/tea/new/", "--range", "1-5", "-o", "extractor.reddit.recursion=0")
        addresses = [message[1] for message in found if message[0] in (3, 6)]
        true(any(address.startswith("https://example.com/leaf/") for address in addresses), addresses[:5])

    @works("a link by its address")
    def _():
        found = extracted(f"https://www.reddit.com/r/tea/comments/{id_of(CONTENT['links'][4])}/leaf_5/", "-o", "extractor.reddit.comments=500")
        true("https://example.com/leaf/5" in [message[1] for message in found], found)

    @works("what a user submitted")
    def _():
        found = extracted("https://www.reddit.com/user/bob/submitted/", "--range", "1-5")
        true(found, "nothing")
