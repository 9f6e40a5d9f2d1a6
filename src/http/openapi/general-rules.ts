const humans =
  'Votes must be cast by humans: one person deciding, one vote. Programs must not decide how to vote or amplify the votes of people.'

/** The rules for all requests, for the OpenAPI document and docs/endpoints.md. */
export const rules: readonly string[] = [
  humans,
  'Log in with OAuth 2 (`Authorization: bearer TOKEN`, from `/api/v1/access_token`), or with a session cookie from `/api/login`; with a cookie every write also needs the modhash, in `X-Modhash` or `uh`.',
  'Every answer names a log position in `X-Log-Position`: after a write the position of its last event, otherwise the position the read models have reached. Every read accepts `min_position`: it waits up to a second until the read models reach that position, and answers `X-Stale: true` if they did not.',
  'A POST may carry an `Idempotency-Key`: repeated with the same body within a day it gets the first answer, also after a crash (a refusal that asks the client to wait is not kept, nor what others wrote: it is shown as it is now); with another body it is 422. It is ignored where the answer holds a secret: sessions, apps, tokens.',
  'Listings take `limit`, `after`, `before`, `count`, `show` and `sr_detail`; `after` and `before` of an answer are the anchors of the next and previous page, null at the ends.',
  'In JSON `&`, `<` and `>` are HTML entities unless `raw_json=1`.',
  'Parameters come from the body, then the query, then the path. Unknown ones are ignored; an optional one that is empty counts as absent, unless it is a text that can be cleared. Booleans: `0`, `off` and values beginning with f or n are false.',
  'Forms (`+json`) answer 200 with `{"json":{"errors":[[code, text, field]]}}`; writes that answer `{}` do so whenever they answer 200, with the code of what they did not do in `X-Reason`, but answer a caller without an account like a form, with `USER_REQUIRED`; all others answer refusals with a status and `{"message","error","reason","explanation","documentation_url"}`, and `fields` where a parameter is at fault.',
  'Each caller may send 1200 requests in 600 seconds; `X-Ratelimit-Used`, `-Remaining` and `-Reset` state the caller’s share.',
]
