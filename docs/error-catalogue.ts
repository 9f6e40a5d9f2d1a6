import type { RefusalCode } from '../src/http/contract/refusals.ts'

/** The cause of a refusal, and the remedy of its caller. */
export type Entry = {
  readonly cause: string
  readonly remedy: string
  /** The parameters that it names in `field` or `fields`; `any`: whichever has the wrong value. Absent: it names none. */
  readonly fields?: 'any' | readonly string[]
  /** Tells whether the same request can succeed later, if the status does not already say so. */
  readonly retry?: string
}

const entry = (cause: string, remedy: string, fields?: Entry['fields'], retry?: string): Entry => ({
  cause,
  remedy,
  ...(fields !== undefined && { fields }),
  ...(retry !== undefined && { retry }),
})

/** Each code that stands in `reason`, in `json.errors` or in `X-Reason`. */
export const errorCatalogue: Readonly<Record<RefusalCode, Entry>> = {
  BAD_REQUEST: entry(
    'The request is malformed, or a value is not possible here: broken percent-encoding, a body that is not a form, a header `Authorization` that is not `bearer TOKEN`, an anchor (`after`, `before`) of another kind in the list of your subsites.',
    'Correct the request. `fields` names the parameter, if one is at fault.',
    'any',
  ),
  UNAUTHORIZED: entry(
    'The endpoint needs an access token and there is none, or the token is unknown, revoked or older than an hour.',
    'Get a new token, then send the request once more.',
    undefined,
    'Yes, once, with a new token.',
  ),
  SESSION_REQUIRED: entry(
    'A token was sent where only the session of a person may act: changing the password, ending sessions, giving consent to an app.',
    'Log in, and send the cookie of the session with its modhash.',
  ),
  INSUFFICIENT_SCOPE: entry(
    'The token does not have the scope that `explanation` and `WWW-Authenticate` name, or it is for other subsites only.',
    'Ask the user for that scope, by a new authorization.',
  ),
  INVALID_MODHASH: entry(
    'A request with a cookie has no modhash, or not that of its session.',
    'Send the modhash of the login, or of `/api/me.json`, in `X-Modhash` or as `uh`.',
  ),
  FORBIDDEN: entry(
    'The account may not do that: the subsite is private, you are banned there, you are not its moderator or your permissions do not include it; or what you comment on does not exist.',
    'Check the fullname. Ask the moderators to approve you, or let an account do it that may.',
    'any',
  ),
  NOT_FOUND: entry(
    'Nothing is at this address, or the fullname or name in a parameter is missing or belongs to nothing that you may see.',
    'Check the path and the name. A deleted thing does not return.',
    'any',
  ),
  METHOD_NOT_ALLOWED: entry('The address exists, but not for this method.', 'Use a method that the header `Allow` lists.'),
  READ_ONLY: entry('The service shows a copy of an earlier state (`READ_ONLY=on`).', 'Read from it; write to the site itself.'),
  CONFLICT: entry(
    'Another request changed the same thing first, such as a setting that is no longer as your `expected` says; or you have as many apps as an account can have.',
    'Read the present state, and send a request that fits it.',
    'any',
    'Only after you have read the present state.',
  ),
  ALREADY_STICKIED: entry(
    'The link is in one of the two slots at the top of its subsite.',
    'Nothing is left to do. To change its slot, take it down first.',
    ['id'],
  ),
  AHEAD_OF_LOG: entry(
    'You follow the history after a number that no event has yet: the site was put back from a copy that lies behind what you have, under a new origin.',
    'Compare the `origin` at `/history` with the one that you knew, and begin anew, or from the size of its log.',
    ['since'],
  ),
  DECIDED_MEANWHILE: entry(
    'A moderator or the service acted on the thing after the `expected_position` that the request names. `decision` says what, who and when, to those who moderate it.',
    'Look at the thing again, and decide again with the `X-Log-Position` of that response, or without.',
    ['expected_position'],
  ),
  HEADERS_TOO_LARGE: entry('The header fields of the request are too large together.', 'Send fewer cookies and shorter fields.'),
  REQUEST_TIMEOUT: entry('The request did not arrive completely in time.', 'Send it again.', undefined, 'Yes, at once.'),
  FAULT: entry(
    'The service failed. Nothing is known of the outcome of a write.',
    'Send a write again with the same `Idempotency-Key`. If it stays, give the `id` to the operator.',
    undefined,
    'Yes, after a while.',
  ),
  LENGTH_REQUIRED: entry(
    'A request with a body has neither `Content-Length` nor chunks.',
    'Let your HTTP library send the length; an empty body has the length 0.',
  ),
  TOO_LARGE: entry(
    'The body is larger than this endpoint accepts; the [limits](limits.md) give the sizes.',
    'Send less, or in several requests.',
    'any',
  ),
  UNSUPPORTED_ENCODING: entry('The body is compressed (`Content-Encoding`).', 'Send the body as it is.'),
  UNPROCESSABLE: entry(
    'This `Idempotency-Key` was used in the last 24 hours for another body.',
    'Use a new key for a new request; the same key only for exactly the same request.',
  ),
  TOO_MANY_REQUESTS: entry(
    'Your request quota is used up, too many logins failed, or you asked for something in parallel that is answered one at a time.',
    'Wait. `X-Ratelimit-Remaining` tells you earlier how many requests are left.',
  ),
  UNAVAILABLE: entry(
    'A part of the service does not answer at this moment. Nothing was done.',
    'Send the same request again, a write with the same `Idempotency-Key`.',
  ),
  TOO_MANY_AT_ONCE: entry('Many of your requests already wait for costly work.', 'Send fewer requests in parallel.'),
  TOO_BUSY: entry('Too many people log in or register at this moment.', 'Try again a few seconds later.'),
  OUTCOME_UNKNOWN: entry(
    'The connection to the log broke off during a write: it may be stored or not.',
    'Send the same request again with the same `Idempotency-Key`; then it is done exactly once.',
  ),
  IN_TIMEOUT: entry(
    'The account is suspended; it can read but not write.',
    '`suspension_expiration_utc` of `/api/v1/me` says until when.',
    undefined,
    'When the suspension has ended.',
  ),
  USER_REQUIRED: entry('The request has no account: no token, or a token of an app alone.', 'Log in, or use a token of an account.'),
  RATELIMIT: entry(
    'You did this too often in a short time, or you are new in this subsite and must wait between two posts.',
    'Wait; `json.ratelimit` has the seconds in the answer of a form.',
    ['ratelimit'],
  ),
  NO_TEXT: entry('A text that is required is missing or blank.', 'Send the text.', 'any'),
  TOO_LONG: entry('A text has more characters than it may have; the message gives the limit.', 'Shorten it.', 'any'),
  BAD_CAPTCHA: entry(
    'The captcha was not solved, or not correctly.',
    'Show the image of the new captcha in `json.captcha` to a person, and send `iden` and `captcha` with the request. [Captchas](oauth.md#captchas) apply to accounts without karma.',
    ['captcha'],
    'Yes, with the answer to the new captcha.',
  ),
  TOO_COMPLEX: entry('This text takes too long to format or to compare.', 'Make it shorter or simpler.', 'any'),
  BAD_STRING: entry('The text holds control characters or others that cannot be used here.', 'Remove them.', 'any'),
  BAD_NUMBER: entry('This is no number, or a number outside of its range.', 'Send a number that the reference allows.', 'any'),
  INVALID_OPTION: entry('The value is not one of those that are possible, or it is missing.', 'Send one that the reference lists.', 'any'),
  NO_SUBJECT: entry('A message has no subject.', 'Send `subject`.', ['subject']),
  NO_USER: entry('The name of an account is missing.', 'Send the name.', 'any'),
  USER_DOESNT_EXIST: entry('No account has that name, or it was deleted.', 'Check the spelling.', 'any'),
  NO_THING_ID: entry(
    'A fullname or an id is missing or malformed, or of a kind that cannot be used here.',
    'Send a fullname such as `t5_1597vk8v7k`, or an id without its prefix where the reference says `id`.',
    'any',
  ),
  TOO_MANY_THING_IDS: entry('A list holds more names than one request may have.', 'Send several requests.', 'any'),
  SUBSITE_NOEXIST: entry('No subsite has that name.', 'Check the spelling.', 'any'),
  SUBSITE_REQUIRED: entry('The name of a subsite is missing.', 'Send the name.', 'any'),
  SUBSITE_NOTALLOWED: entry(
    'You may not post in that subsite: it is restricted, private or archived, or you are banned there.',
    'Ask its moderators to approve you.',
    ['sr'],
  ),
  SUBSITE_NO_ACCESS: entry('You may not view that subsite.', 'Ask its moderators to approve you.', 'any'),
  SUBSITE_EXISTS: entry(
    'A subsite of that name exists, or the name is reserved.',
    'Choose another name, or change the subsite that exists.',
    ['name'],
  ),
  SR_RULE_EXISTS: entry('The subsite has a rule of that name.', 'Choose another name, or update that rule.', ['short_name']),
  SR_RULE_TOO_MANY: entry('The subsite has as many rules as it can have.', 'Remove a rule first.', ['short_name']),
  SR_RULE_DOESNT_EXIST: entry('The subsite has no rule of that name.', 'Read the rules at `/s/NAME/about/rules`.', [
    'short_name',
    'old_short_name',
  ]),
  BAD_CSS_NAME: entry(
    'The name of an image or of a class has other characters than letters, digits and dashes, or is too long.',
    'Rename it.',
    ['name', 'img_name', 'css_class'],
  ),
  BAD_CSS: entry('The stylesheet has errors; `json.data.errors` lists them with their lines.', 'Correct those lines.', [
    'stylesheet_contents',
  ]),
  IMAGE_ERROR: entry(
    'The file is no image that can be used: its type, its size, or it is damaged.',
    'Send a PNG or a JPEG within the limits.',
    ['file'],
  ),
  BAD_SR_NAME: entry(
    'That cannot be the name of a subsite.',
    'Use 3 to 21 letters, digits and `_`, beginning with a letter or digit.',
    'any',
  ),
  ADMIN_REQUIRED: entry('Only an admin of the site may do that.', 'Ask an admin.', ['type', 'name']),
  INSUFFICIENT_CSITES: entry('You have fewer credits than this costs.', '`gold_csites` of `/api/v1/me` says how many you have.', [
    'months',
  ]),
  GOLD_REQUIRED: entry('Only an account with gold may do that.', 'Choose another type of subsite.', ['type']),
  GOLD_ONLY_SR_REQUIRED: entry('This setting is for subsites of the type `gold_only`.', 'Leave the setting out.', ['hide_ads']),
  CANT_CONVERT_TO_GOLD_ONLY: entry('A subsite that exists cannot become `gold_only`.', 'Create a new one.', ['type']),
  NO_URL: entry('An address is missing.', 'Send it.', ['url', 'redirect_uri']),
  BAD_URL: entry('This is no address, or it is too long.', 'Send a complete address.', ['url', 'redirect_uri']),
  INVALID_SCHEME: entry(
    'A web app cannot be sent back to an address with a scheme of its own.',
    'Use `https://`, or `http://` on a loopback address.',
    ['redirect_uri'],
  ),
  DOMAIN_BANNED: entry('The operator of this site does not allow links to that host.', 'Link to another source.', ['url']),
  ALREADY_SUB: entry(
    'That address was submitted to the subsite before; `json.redirect` is the address of that link.',
    'Comment on the link that exists, or send `resubmit=true`.',
    ['url'],
  ),
  NO_LINKS: entry('That subsite only accepts texts.', 'Submit with `kind=self`.', ['sr']),
  NO_SELFS: entry('That subsite only accepts links.', 'Submit with `kind=link`.', ['sr']),
  TOO_OLD: entry('The thing is so old that it is archived.', 'Nothing can be done: it can be read only.', ['parent']),
  THREAD_LOCKED: entry('A moderator closed the link to new comments.', 'Wait until a moderator opens it.', ['parent']),
  DELETED_COMMENT: entry('The comment that you reply to was deleted.', 'Reply to another one.', ['parent']),
  COMMENT_NOT_STICKYABLE: entry('Only a comment on the link itself can be stickied, not a reply.', 'Choose a comment of the top level.', [
    'sticky',
  ]),
  NOT_AUTHOR: entry('Only its author can change that.', 'Use the account that wrote it.', ['thing_id']),
  THING_ERASED: entry('The text was erased for good.', 'Nothing can be done.', ['thing_id', 'revision', 'link', 'file']),
  TOO_MANY_ERASED: entry('As many things of that account are erased one by one as can be.', 'Erase the account.', 'any'),
  SUBSITE_RATELIMIT: entry('This subsite made many relationships, or invited many moderators, in a short time.', 'Wait.', ['name']),
  ALREADY_MODERATOR: entry('That account is a moderator, or invited to be one.', 'Nothing is left to do.', ['name']),
  CANT_RESTRICT_MODERATOR: entry('A moderator cannot be banned or muted.', 'Remove the moderator first.', ['name']),
  BANNED_FROM_SUBSITE: entry('That account is banned from the subsite.', 'End the ban first.', ['name']),
  MUTED_FROM_SUBSITE: entry('That account is muted in the subsite, and cannot be written to in its name.', 'End the mute first.', [
    'to',
    'parent',
    'name',
  ]),
  USER_MUTED: entry('The moderators of that subsite have muted you.', 'Wait until the mute ends.', ['to', 'parent']),
  INVALID_PERMISSION_TYPE: entry(
    'Permissions exist for moderators and for invitations only.',
    'Send `type=moderator` or `type=moderator_invite`.',
    ['type'],
  ),
  INVALID_PERMISSIONS: entry('The list of permissions is malformed or names an unknown one.', 'Write it as `+posts,-flair` or `+all`.', [
    'permissions',
  ]),
  NO_INVITE_FOUND: entry('No invitation to moderate that subsite waits for you.', 'Ask its moderators for one.'),
  BAD_FLAIR_TARGET: entry('That account or link cannot have this flair.', 'Check the name.', ['name']),
  TOO_MUCH_FLAIR_CSS: entry('A flair has more classes than it can have.', 'Send fewer.', ['css_class']),
  TOO_MANY_FLAIR_TEMPLATES: entry('The subsite has as many flair templates as it can have.', 'Delete one first.'),
  NO_SR_TO_SR_MESSAGE: entry('A subsite cannot write to a subsite.', 'Write to an account, or in your own name.', ['from']),
  BAD_USERNAME: entry('That cannot be the name of an account.', 'Use 3 to 20 letters, digits, `-` and `_`.', ['user', 'name']),
  USERNAME_TOO_SHORT: entry('The name has fewer than 3 or more than 20 characters.', 'Choose another name.', ['user']),
  USERNAME_INVALID_CHARACTERS: entry('The name has other characters than letters, digits, `-` and `_`.', 'Choose another name.', ['user']),
  USERNAME_TAKEN: entry('An account of that name exists, or the name is reserved.', 'Choose another name.', ['user']),
  USERNAME_TAKEN_DEL: entry('The name belonged to an account that was deleted. Names are not given twice.', 'Choose another name.', [
    'user',
  ]),
  BAD_EMAIL: entry('This is no e-mail address.', 'Correct it, or leave it out.', ['email']),
  SHORT_PASSWORD: entry('The password has fewer than 6 characters.', 'Choose a longer one.', ['passwd', 'newpass']),
  BAD_PASSWORD_MATCH: entry('The two passwords differ.', 'Send the same password twice.', ['passwd2', 'verpass']),
  INCORRECT_USERNAME_OR_PASSWORD: entry(
    'The name or the password is wrong.',
    'Check both. After ten failures in ten minutes the code is `RATELIMIT`.',
    ['passwd'],
  ),
  WRONG_PASSWORD: entry('That is not the password of your account.', 'Send your present password.', ['curpass', 'passwd', 'password']),
  LOGGED_IN: entry('The browser has a session of another account.', 'Log out first.'),
  BAD_SAVE_CATEGORY: entry('That cannot be the name of a category.', 'Use letters, digits and spaces.', ['category']),
  USER_BLOCKED: entry(
    'You blocked that account. Who was blocked is not told: what they send is accepted, and not shown to you.',
    'Unblock it to write to it.',
    ['to', 'parent'],
  ),
  USER_BLOCKED_MESSAGE: entry('That account does not accept messages from this subsite.', 'Nothing can be done.', ['to']),
  TOO_MANY_BLOCKED: entry('You block as many accounts as you may.', 'Unblock one first.'),
  TOO_MANY_SUBSCRIBED: entry('You are subscribed to as many subsites as you may be.', 'Leave one first.'),
  TOO_MANY_MUTED: entry('You mute as many subsites as you may.', 'Unmute one first.'),
  NON_PREFERENCE: entry('The object holds a name that is no preference.', 'See the [preferences](../preferences.md).', 'any'),
  NOT_FRIEND: entry('That account is none of your friends.', 'Make it a friend first.', ['username']),
  BAD_JSONP_CALLBACK: entry(
    'The name of the JSONP function has characters that it may not have.',
    'Use letters, digits, `_`, `$` and dots.',
    ['jsonp'],
  ),
  JSON_PARSE_ERROR: entry('The text is no JSON.', 'Correct it.', 'any'),
  JSON_INVALID: entry('The JSON has another structure than is expected here.', 'Compare it with the reference.', 'any'),
  JSON_MISSING_KEY: entry('A member is missing in the JSON.', 'Add it.', 'any'),
  BAD_MULTI_PATH: entry('This is no path of a multi.', 'Write it as `/user/NAME/m/NAME`.', 'any'),
  BAD_MULTI_NAME: entry('No multi can have that name.', 'Use 2 to 21 letters, digits and `_`.', 'any'),
  BAD_COLOR: entry('This is no color.', 'Write it as `#rrggbb`.', ['key_color']),
  MULTI_NOT_FOUND: entry('There is no such multi, or you may not see it.', 'Check the path.', ['multipath', 'from']),
  MULTI_EXISTS: entry('You have a multi of that name.', 'Choose another name, or change it with `PUT`.', [
    'multipath',
    'to',
    'display_name',
  ]),
  MULTI_CANNOT_EDIT: entry('That multi belongs to another account.', 'Copy it, and change the copy.', 'any'),
  MULTI_SPECIAL_SUBSITE: entry('`all`, `friends` and `mod` are no single subsites.', 'Name single subsites.', 'any'),
  MULTI_TOO_MANY_SUBSITES: entry('The multi holds as many subsites as it can.', 'Use a second multi.', ['subsites', 'srname']),
  MULTI_TOO_LONG_DESCRIPTIONS: entry('The descriptions of your multis are too long together.', 'Shorten one.', [
    'description_md',
    'body_md',
  ]),
  TOO_MANY_MULTIS: entry('You have as many multis as an account can have.', 'Delete one first.', ['multipath', 'to']),
  MOD_REQUIRED: entry('Only a moderator of the subsite may do that.', 'Ask a moderator.'),
  NOT_WIKIABLE: entry('There is no wiki at this place.', 'Name a subsite.'),
  WIKI_DISABLED: entry('The subsite has switched its wiki off.', 'Ask its moderators.'),
  INVALID_PAGE_NAME: entry('No wiki page can have that name.', 'Use letters, digits, `_`, `-` and `/`.', ['page']),
  PAGE_NOT_FOUND: entry('The wiki has no such page, and you may not create it.', 'Check the name.'),
  PAGE_NOT_CREATED: entry('The wiki has no such page yet; you may create it.', 'Write it with `/api/wiki/edit`.'),
  PAGE_CREATED_ELSEWHERE: entry('That page is made from the settings of the subsite.', 'Change the settings with `/api/site_admin`.', [
    'page',
  ]),
  PAGE_NAME_LENGTH: entry('The name of the page is too long; `max_length` gives the limit.', 'Shorten it.', ['page']),
  PAGE_NAME_MAX_SEPARATORS: entry('The name of the page has too many slashes; `max_separators` gives the limit.', 'Use fewer.', ['page']),
  TOO_MANY_PAGES: entry('The wiki has as many pages as it can have.', 'Write on a page that exists.'),
  TOO_MANY_EDITORS: entry('The page has as many editors as it can have.', 'Remove one first.', ['username']),
  RESTRICTED_PAGE: entry('Only moderators may see or edit that page.', 'Ask a moderator.'),
  MAY_NOT_VIEW: entry('You may not view that page.', 'Ask a moderator.'),
  MAY_NOT_REVISE: entry('You may not edit that page.', 'Ask a moderator to make you an editor.'),
  INVALID_PERMLEVEL: entry('The level must be 0, 1 or 2.', 'Send one of them.', ['permlevel']),
  INVALID_REVISION: entry('The page has no such revision, or the text of it was erased.', 'Read its revisions.', 'any'),
  HIDDEN_REVISION: entry('A moderator hid that revision.', 'Read another one.'),
  CONTENT_LENGTH_ERROR: entry('The content is too long; `max_length` gives the limit in bytes.', 'Shorten it.', ['content']),
  SPECIAL_ERRORS: entry('The page has a form of its own, which this content lacks; `special_errors` lists what is wrong.', 'Correct it.', [
    'content',
  ]),
  INVALID_CSS: entry(
    'That revision of the stylesheet cannot be published, because images that it shows are gone.',
    'Write the stylesheet anew.',
  ),
  EDIT_CONFLICT: entry(
    'Somebody changed the same place of the page since the revision that you name in `previous`. `newcontent`, `newrevision` and `diffcontent` show it as it is now.',
    'Merge the two texts, and send the result with `previous` set to `newrevision`.',
    ['content'],
    'Only with the merged text.',
  ),
  UNKNOWN_USER: entry('No account has that name.', 'Check the spelling.', ['username']),
  OAUTH2_INVALID_CLIENT: entry('No app has that client id, or the secret is wrong.', 'Compare it with `/api/v1/apps`.', ['client_id']),
  OAUTH2_INVALID_REDIRECT_URI: entry('The address differs from the one that the app registered.', 'Send exactly the registered address.', [
    'redirect_uri',
  ]),
  OAUTH2_INVALID_RESPONSE_TYPE: entry('The response type is neither `code` nor `token`.', 'Send `code`.', ['response_type']),
  OAUTH2_INVALID_SCOPE: entry('The scope is empty or names an unknown one.', 'Use the names of `/api/v1/scopes`.', ['scope']),
  OAUTH2_INVALID_GRANT: entry('The refresh token is unknown, revoked or of another app.', 'Ask the user for permission again.', [
    'refresh_token',
  ]),
  OAUTH2_UNAUTHORIZED_CLIENT: entry('The token to revoke is of another app.', 'Use the credentials of its own app.', ['token']),
  OAUTH2_CONFIDENTIAL_TOKEN: entry('An app with a secret cannot ask for a token in the address.', 'Send `response_type=code`.', [
    'response_type',
  ]),
  OAUTH2_NO_REFRESH_TOKENS_ALLOWED: entry(
    '`response_type=token` gives no refresh token.',
    'Send `response_type=code` with `duration=permanent`.',
    ['duration'],
  ),
}

/** The values of `error` in the answers of `/api/v1/access_token`, with status 200 except for an unknown refresh token. */
export const tokenErrors: Readonly<Record<string, string>> = {
  invalid_request:
    'A parameter of this grant is missing. Send `code` and `redirect_uri`, or `username` and `password`, or a `device_id` of 20 to 50 characters.',
  invalid_grant:
    'The code, the refresh token, or the name and password are wrong, used or expired; or the verifier does not fit the challenge; or the account is not the owner of the script app. Begin the flow again.',
  invalid_scope: 'The scope names an unknown one. Use the names of `/api/v1/scopes`.',
  unauthorized_client:
    'This type of app may not use this grant: `password` is for script apps, `client_credentials` for apps with a secret.',
  unsupported_grant_type:
    '`grant_type` is none of `authorization_code`, `refresh_token`, `password`, `client_credentials` or an address that ends in `/grants/installed_client`.',
}

/** The values of `error` in the header field `WWW-Authenticate`. */
export const challengeErrors: Readonly<Record<string, string>> = {
  invalid_token: 'There is no token, or it is unknown, revoked or older than an hour. Get a new one.',
  insufficient_scope: 'The token lacks the scope of this endpoint, or is limited to other subsites. Ask the user for that scope.',
  invalid_request:
    'The header `Authorization` is malformed, or a token was sent where a session is needed. Send `Authorization: bearer TOKEN`, or the cookie.',
}
