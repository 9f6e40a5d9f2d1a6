import * as E from 'fp-ts/lib/Either.js'
import type { Refusal as RuleRefusal, RefusalCode as RuleRefusalCode } from '../../domain/refusal.ts'

/**
 * The answer to a refusal: its status outside form responses, and the text shown to people. `explanation` is the sentence of a plain
 * response, if it is not the text; `ofField` is the one if a parameter is to blame. With `abort`, form endpoints, too, answer with the
 * status; other refusals stand in `json.errors` there, with status 200. `retryAfter` is the seconds of that header field, unless the
 * refusal has `ratelimit`.
 */
type RefusalAnswer = {
  readonly text: string
  readonly explanation?: string
  readonly ofField?: string
  readonly abort: boolean
} & ({ readonly status: FinalStatus; readonly retryAfter?: undefined } | { readonly status: 429 | 503; readonly retryAfter: number })

/** Statuses of refusals for which waiting does not help. */
type FinalStatus = 400 | 401 | 403 | 404 | 405 | 408 | 409 | 411 | 413 | 415 | 422 | 431 | 500

/** Every refusal of a request: those of the rules, and those that only HTTP, JSONP and OAuth have. */
const table = {
  BAD_REQUEST: {
    status: 400,
    text: 'Bad Request',
    explanation: 'The request is malformed.',
    ofField: 'This value is not possible here.',
    abort: true,
  },
  UNAUTHORIZED: { status: 401, text: 'Unauthorized', explanation: 'This needs a valid access token.', abort: true },
  SESSION_REQUIRED: {
    status: 400,
    text: 'Bad Request',
    explanation: 'This needs a session, by its cookie; an access token cannot do it.',
    abort: true,
  },
  INSUFFICIENT_SCOPE: { status: 403, text: 'Forbidden', explanation: 'The access token does not have the scope for that.', abort: true },
  INVALID_MODHASH: {
    status: 403,
    text: 'Forbidden',
    explanation: 'The modhash is not that of this session: with a cookie, every write needs it in X-Modhash or uh.',
    abort: true,
  },
  FORBIDDEN: { status: 403, text: 'Forbidden', explanation: 'You are not allowed to do that.', abort: true },
  NOT_FOUND: {
    status: 404,
    text: 'Not Found',
    explanation: 'Nothing exists at this address.',
    ofField: 'What this names does not exist.',
    abort: true,
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    text: 'Method Not Allowed',
    explanation: 'This address does not support that method; the Allow header lists those it does.',
    abort: true,
  },
  READ_ONLY: {
    status: 405,
    text: 'Method Not Allowed',
    explanation: 'This is a read-only copy of the site: nobody can log in here, and nothing can be written.',
    abort: true,
  },
  CONFLICT: { status: 409, text: 'Conflict', explanation: 'Another request changed this first. Read it again, then decide.', abort: true },
  ALREADY_STICKIED: { status: 409, text: 'that link is already stickied', abort: true },
  DECIDED_MEANWHILE: {
    status: 409,
    text: 'Conflict',
    explanation: 'A moderator decided about this after the position that you expected.',
    ofField: 'A moderator decided about this after that position.',
    abort: true,
  },
  AHEAD_OF_LOG: {
    status: 400,
    text: 'Bad Request',
    explanation: 'The log has no event of that number yet: the site was restored from a backup after you received it.',
    abort: true,
  },
  REQUEST_TIMEOUT: { status: 408, text: 'Request Timeout', explanation: 'The request did not arrive in time.', abort: true },
  HEADERS_TOO_LARGE: {
    status: 431,
    text: 'Request Header Fields Too Large',
    explanation: 'The header fields are too large.',
    abort: true,
  },
  FAULT: {
    status: 500,
    text: 'Internal Server Error',
    explanation: 'The service failed. Its log has the reason under the id of this response.',
    abort: true,
  },
  LENGTH_REQUIRED: { status: 411, text: 'Length Required', explanation: 'A POST needs a Content-Length.', abort: true },
  TOO_LARGE: { status: 413, text: 'Payload Too Large', explanation: 'The body is too large.', ofField: 'This is too large.', abort: true },
  UNSUPPORTED_ENCODING: { status: 415, text: 'a request body may not be compressed', abort: true },
  UNPROCESSABLE: { status: 422, text: 'this Idempotency-Key was used for another request', abort: true },
  TOO_MANY_REQUESTS: {
    status: 429,
    retryAfter: 60,
    text: 'Too Many Requests',
    explanation: 'The request quota is used up; Retry-After says how long to wait.',
    abort: true,
  },
  UNAVAILABLE: { status: 503, retryAfter: 1, text: 'the service cannot do this right now', abort: true },
  TOO_MANY_AT_ONCE: {
    status: 429,
    retryAfter: 5, // the time in which most work that one caller may have waiting is done
    text: 'too many of your requests wait for costly work: wait for their responses, then send this one again',
    abort: true,
  },
  TOO_BUSY: {
    status: 503,
    retryAfter: 1,
    text: 'too many people log in or register at this moment: try again in a few seconds',
    abort: true,
  },
  OUTCOME_UNKNOWN: { status: 503, retryAfter: 1, text: 'outcome unknown: repeat the request with the same Idempotency-Key', abort: true },
  IN_TIMEOUT: { status: 403, text: 'your account is suspended', abort: true },
  USER_REQUIRED: { status: 403, text: 'Please log in to do that.', abort: false },
  RATELIMIT: { status: 429, retryAfter: 60, text: 'you are doing that too much.', abort: false },
  NO_TEXT: { status: 400, text: 'this is required', abort: false },
  TOO_LONG: { status: 400, text: 'this is too long', abort: false },
  BAD_CAPTCHA: { status: 400, text: 'that was not what the image says: try the new one', abort: false },
  TOO_COMPLEX: { status: 400, text: 'this takes too long to format', abort: false },
  BAD_STRING: { status: 400, text: 'this has characters that cannot be used here', abort: false },
  BAD_NUMBER: { status: 400, text: 'that number is not in the right range', abort: false },
  INVALID_OPTION: { status: 400, text: 'that option is not valid', abort: false },
  NO_SUBJECT: { status: 400, text: 'please enter a subject', abort: false },
  NO_USER: { status: 400, text: 'please enter a username', abort: false },
  USER_DOESNT_EXIST: { status: 400, text: "that user doesn't exist", abort: false },
  NO_THING_ID: { status: 400, text: 'id not specified', abort: false },
  TOO_MANY_THING_IDS: { status: 413, text: 'you provided too many ids', abort: false },
  SUBSITE_NOEXIST: { status: 404, text: "that subsite doesn't exist", abort: false },
  SUBSITE_REQUIRED: { status: 400, text: 'you must specify a subsite', abort: false },
  SUBSITE_NOTALLOWED: { status: 403, text: "you aren't allowed to post there.", abort: false },
  SUBSITE_NO_ACCESS: { status: 403, text: "you aren't allowed access to this subsite", abort: false },
  SUBSITE_EXISTS: { status: 409, text: 'that subsite already exists', abort: false },
  SR_RULE_EXISTS: { status: 409, text: 'a rule with that name already exists', abort: false },
  SR_RULE_TOO_MANY: { status: 400, text: 'there are already as many rules as a subsite can have', abort: false },
  SR_RULE_DOESNT_EXIST: { status: 404, text: 'there is no rule with that name', abort: false },
  BAD_CSS_NAME: { status: 400, text: 'a name here is letters, digits and dashes, at most 100 of them', abort: false },
  BAD_CSS: { status: 400, text: 'this stylesheet has errors, or parts that are not allowed', abort: false },
  IMAGE_ERROR: { status: 400, text: 'this image cannot be used', abort: false },
  BAD_SR_NAME: { status: 400, text: 'a subsite name has 3 to 21 letters, digits and _, and does not begin with _', abort: false },
  ADMIN_REQUIRED: { status: 403, text: 'you must be an admin for that', abort: false },
  INSUFFICIENT_CSITES: { status: 400, text: 'you do not have enough csites (credits) for that', abort: false },
  GOLD_REQUIRED: { status: 400, text: 'you must have gold for that', abort: false },
  GOLD_ONLY_SR_REQUIRED: { status: 400, text: 'this is only for gold_only subsites', abort: false },
  CANT_CONVERT_TO_GOLD_ONLY: { status: 400, text: 'an existing subsite cannot become gold_only', abort: false },
  NO_URL: { status: 400, text: 'a url is required', abort: false },
  BAD_URL: { status: 400, text: 'this is not a complete address, or it is too long', abort: false },
  INVALID_SCHEME: { status: 400, text: 'the address must begin with http:// or https://', abort: false },
  DOMAIN_BANNED: { status: 400, text: 'links to that domain are not allowed here', abort: false },
  ALREADY_SUB: { status: 409, text: 'that link has already been submitted', abort: false },
  NO_LINKS: { status: 400, text: 'that subsite only allows text posts', abort: false },
  NO_SELFS: { status: 400, text: "that subsite doesn't allow text posts", abort: false },
  TOO_OLD: { status: 400, text: 'this is archived: it takes no more replies', abort: false },
  THREAD_LOCKED: { status: 403, text: 'comments are locked', abort: false },
  DELETED_COMMENT: { status: 400, text: 'that comment has been deleted', abort: false },
  COMMENT_NOT_STICKYABLE: { status: 400, text: 'only a top-level comment can be stickied', abort: true },
  NOT_AUTHOR: { status: 403, text: "you can't do that", abort: false },
  THING_ERASED: { status: 403, text: 'that was erased and cannot be changed', abort: false },
  TOO_MANY_ERASED: { status: 409, text: 'no more single things of that account can be erased: erase the account instead', abort: false },
  SUBSITE_RATELIMIT: { status: 429, retryAfter: 60, text: 'you are doing that too much here, try again later', abort: false },
  ALREADY_MODERATOR: { status: 400, text: 'that user is already a moderator', abort: false },
  CANT_RESTRICT_MODERATOR: { status: 400, text: 'you cannot restrict a moderator', abort: false },
  BANNED_FROM_SUBSITE: { status: 400, text: 'that user is banned from the subsite', abort: false },
  MUTED_FROM_SUBSITE: { status: 400, text: 'that user is muted in the subsite', abort: false },
  USER_MUTED: { status: 403, text: 'you are muted in that subsite and cannot write to its moderators', abort: false },
  INVALID_PERMISSION_TYPE: { status: 400, text: 'permissions cannot be set on that type', abort: false },
  INVALID_PERMISSIONS: { status: 400, text: 'permissions are written like +posts,-flair or +all', abort: false },
  NO_INVITE_FOUND: { status: 400, text: 'there is no pending invite for that subsite', abort: false },
  BAD_FLAIR_TARGET: { status: 400, text: 'no account or link of this name can have flair here', abort: false },
  TOO_MUCH_FLAIR_CSS: { status: 400, text: 'too many flair css classes', abort: false },
  TOO_MANY_FLAIR_TEMPLATES: { status: 400, text: 'the subsite has as many flair templates as it may have', abort: false },
  NO_SR_TO_SR_MESSAGE: { status: 400, text: 'a subsite cannot write to a subsite', abort: false },
  BAD_USERNAME: { status: 400, text: 'invalid user name', abort: false },
  USERNAME_TOO_SHORT: { status: 400, text: 'username must be between 3 and 20 characters', abort: false },
  USERNAME_INVALID_CHARACTERS: { status: 400, text: 'username must contain only letters, numbers, - and _', abort: false },
  USERNAME_TAKEN: { status: 409, text: 'that username is already taken', abort: false },
  USERNAME_TAKEN_DEL: { status: 409, text: 'that username is taken by a deleted account', abort: false },
  BAD_EMAIL: { status: 400, text: 'that e-mail address is invalid', abort: false },
  SHORT_PASSWORD: { status: 400, text: 'the password must be at least 6 characters', abort: false },
  BAD_PASSWORD_MATCH: { status: 400, text: "passwords don't match", abort: false },
  INCORRECT_USERNAME_OR_PASSWORD: { status: 403, text: 'incorrect username or password', abort: false },
  WRONG_PASSWORD: { status: 403, text: 'that is not your password', abort: false },
  LOGGED_IN: { status: 409, text: 'you are already logged in as someone else', abort: false },
  BAD_SAVE_CATEGORY: { status: 403, text: 'invalid category', abort: true },
  USER_BLOCKED: { status: 403, text: 'you have blocked that user', abort: false },
  USER_BLOCKED_MESSAGE: { status: 403, text: 'that user blocks messages from this subsite', abort: false },
  TOO_MANY_BLOCKED: { status: 400, text: 'you block as many accounts as you may: unblock one first', abort: true },
  TOO_MANY_SUBSCRIBED: { status: 400, text: 'you are subscribed to as many subsites as you may be: leave one first', abort: true },
  TOO_MANY_MUTED: { status: 400, text: 'you mute as many subsites as you may: unmute one first', abort: true },
  NON_PREFERENCE: { status: 400, text: 'that is not a preference', abort: false },
  NOT_FRIEND: { status: 400, text: 'you are not friends with that user', abort: false },
  BAD_JSONP_CALLBACK: { status: 400, text: 'that jsonp callback contains invalid characters', abort: false },
  JSON_PARSE_ERROR: { status: 400, text: 'unable to parse JSON data', abort: false },
  JSON_INVALID: { status: 400, text: 'unexpected JSON structure', abort: false },
  JSON_MISSING_KEY: { status: 400, text: 'the JSON object lacks a required member', abort: false },
  BAD_MULTI_PATH: { status: 400, text: 'that is not the path of a multi: /user/NAME/m/NAME', abort: false },
  BAD_MULTI_NAME: { status: 400, text: 'no multi can have that name', abort: false },
  BAD_COLOR: { status: 400, text: 'a color is written #rrggbb', abort: false },
  MULTI_NOT_FOUND: { status: 404, text: 'there is no such multi', abort: false },
  MULTI_EXISTS: { status: 409, text: 'that multi already exists', abort: false },
  MULTI_CANNOT_EDIT: { status: 403, text: 'that multi is not yours', abort: false },
  MULTI_SPECIAL_SUBSITE: { status: 400, text: 'a multi can contain only single subsites: not all, friends or mod', abort: false },
  MULTI_TOO_MANY_SUBSITES: { status: 409, text: 'a multi holds at most 100 subsites', abort: false },
  MULTI_TOO_LONG_DESCRIPTIONS: { status: 409, text: 'your multis have at most 200000 characters of description together', abort: false },
  TOO_MANY_MULTIS: { status: 409, text: 'you have as many multis as there may be: 100', abort: false },
  MOD_REQUIRED: { status: 403, text: 'you must be a moderator to do that', abort: false },
  NOT_WIKIABLE: { status: 404, text: 'there is no wiki here', abort: false },
  WIKI_DISABLED: { status: 403, text: 'the wiki of this subsite is disabled', abort: false },
  INVALID_PAGE_NAME: { status: 400, text: 'no page can have that name', abort: false },
  PAGE_NOT_FOUND: { status: 404, text: 'that page does not exist', abort: false },
  PAGE_NOT_CREATED: { status: 404, text: 'that page does not exist yet; you may create it', abort: false },
  PAGE_CREATED_ELSEWHERE: { status: 403, text: 'that page is made by the settings of the subsite', abort: false },
  PAGE_NAME_LENGTH: { status: 403, text: 'that page name is too long', abort: false },
  PAGE_NAME_MAX_SEPARATORS: { status: 403, text: 'that page name has too many slashes', abort: false },
  TOO_MANY_PAGES: { status: 403, text: 'this wiki has as many pages as a wiki can have', abort: false },
  TOO_MANY_EDITORS: { status: 403, text: 'this page has as many editors as a page can have', abort: false },
  RESTRICTED_PAGE: { status: 403, text: 'that page is restricted to moderators', abort: false },
  MAY_NOT_VIEW: { status: 403, text: 'you may not view that page', abort: false },
  MAY_NOT_REVISE: { status: 403, text: 'you may not edit that page', abort: false },
  INVALID_PERMLEVEL: { status: 403, text: 'the permission level must be 0, 1 or 2', abort: false },
  INVALID_REVISION: { status: 404, text: 'that page has no such revision', abort: false },
  HIDDEN_REVISION: { status: 403, text: 'that revision is hidden', abort: false },
  CONTENT_LENGTH_ERROR: { status: 403, text: 'the content is too long', abort: false },
  SPECIAL_ERRORS: { status: 415, text: 'the page cannot have that content', abort: false },
  INVALID_CSS: { status: 403, text: 'that revision cannot be published as a stylesheet now', abort: false },
  EDIT_CONFLICT: { status: 409, text: 'the page was changed in the same place since you began', abort: false },
  UNKNOWN_USER: { status: 404, text: 'there is no user of that name', abort: false },
  OAUTH2_INVALID_CLIENT: { status: 400, text: 'invalid client id', abort: false },
  OAUTH2_INVALID_REDIRECT_URI: { status: 400, text: 'invalid redirect_uri', abort: false },
  OAUTH2_INVALID_RESPONSE_TYPE: { status: 400, text: 'invalid response type', abort: false },
  OAUTH2_INVALID_SCOPE: { status: 400, text: 'invalid scope requested', abort: false },
  OAUTH2_INVALID_GRANT: { status: 400, text: 'the refresh token is unknown, revoked or of another app', abort: false },
  OAUTH2_UNAUTHORIZED_CLIENT: { status: 400, text: 'the token is of another app', abort: false },
  OAUTH2_CONFIDENTIAL_TOKEN: { status: 400, text: 'confidential clients cannot use the token response type', abort: false },
  OAUTH2_NO_REFRESH_TOKENS_ALLOWED: { status: 400, text: 'the token response type gives no refresh tokens', abort: false },
} as const satisfies Readonly<Record<RuleRefusalCode, RefusalAnswer>> & Readonly<Record<string, RefusalAnswer>>

export type RefusalCode = keyof typeof table

export const refusals: Readonly<Record<RefusalCode, RefusalAnswer>> = table

/** A refusal of a request, by a rule or before any rule. */
export type Refusal = RuleRefusal<RefusalCode> & {
  /** The status if the place decides it: an unknown subsite is 404 in a path, 400 in a parameter. */
  readonly status?: FinalStatus
}

/** Returns a refusal. That of a rule has the rule's type, so it can stand in a decision. */
export const refuseRule = <Code extends RefusalCode>(code: Code, field: string | null = null): E.Either<RuleRefusal<Code>, never> =>
  E.left({ code, field })

/** Returns the refusal if no history is kept: no key is configured, or it is a copy for reading. */
export const refuseWithoutHistory = (): E.Either<Refusal, never> =>
  E.left({ code: 'NOT_FOUND', field: null, text: 'No history is kept here, so events have no numbers and nothing proves the logs.' })
