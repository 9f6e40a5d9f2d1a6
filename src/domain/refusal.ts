/**
 * Every way a request can be refused: its status outside form answers, and the text shown to people. `abort` marks refusals that
 * form endpoints, too, answer with their status; the others stand in `json.errors` there, with status 200.
 */
export const refusals = {
  BAD_REQUEST: { status: 400, text: 'Bad Request', abort: true },
  UNAUTHORIZED: { status: 401, text: 'Unauthorized', abort: true },
  FORBIDDEN: { status: 403, text: 'Forbidden', abort: true },
  NOT_FOUND: { status: 404, text: 'Not Found', abort: true },
  METHOD_NOT_ALLOWED: { status: 405, text: 'Method Not Allowed', abort: true },
  CONFLICT: { status: 409, text: 'Conflict', abort: true },
  LENGTH_REQUIRED: { status: 411, text: 'Length Required', abort: true },
  TOO_LARGE: { status: 413, text: 'Payload Too Large', abort: true },
  UNSUPPORTED_ENCODING: { status: 415, text: 'a request body may not be compressed', abort: true },
  UNPROCESSABLE: { status: 422, text: 'this Idempotency-Key was used for another request', abort: true },
  TOO_MANY_REQUESTS: { status: 429, text: 'Too Many Requests', abort: true },
  UNAVAILABLE: { status: 503, text: 'the service cannot do this right now', abort: true },
  TOO_BUSY: { status: 503, text: 'too many people log in or register at this moment: try again in a few seconds', abort: true },
  OUTCOME_UNKNOWN: { status: 503, text: 'outcome unknown: repeat the request with the same Idempotency-Key', abort: true },
  USER_REQUIRED: { status: 403, text: 'Please log in to do that.', abort: false },
  RATELIMIT: { status: 429, text: 'you are doing that too much.', abort: false },
  NO_TEXT: { status: 400, text: 'we need something here', abort: false },
  TOO_LONG: { status: 400, text: 'this is too long', abort: false },
  TOO_SHORT: { status: 400, text: 'this is too short', abort: false },
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
  BAD_SR_NAME: { status: 400, text: "that name isn't going to work", abort: false },
  CANT_CREATE_SR: { status: 403, text: 'you cannot create a subsite yet', abort: false },
  ADMIN_REQUIRED: { status: 403, text: 'you must be an admin for that', abort: false },
  GOLD_REQUIRED: { status: 400, text: 'you must have gold for that', abort: false },
  GOLD_ONLY_SR_REQUIRED: { status: 400, text: 'this is only for gold_only subsites', abort: false },
  CANT_CONVERT_TO_GOLD_ONLY: { status: 400, text: 'an existing subsite cannot become gold_only', abort: false },
  NO_URL: { status: 400, text: 'a url is required', abort: false },
  BAD_URL: { status: 400, text: 'you should check that url', abort: false },
  INVALID_SCHEME: { status: 400, text: 'the address must begin with http:// or https://', abort: false },
  ALREADY_SUB: { status: 409, text: 'that link has already been submitted', abort: false },
  NO_LINKS: { status: 400, text: 'that subsite only allows text posts', abort: false },
  NO_SELFS: { status: 400, text: "that subsite doesn't allow text posts", abort: false },
  TOO_OLD: { status: 400, text: "that's a piece of history now; it's too late to reply to it", abort: false },
  THREAD_LOCKED: { status: 403, text: 'comments are locked', abort: false },
  DELETED_COMMENT: { status: 400, text: 'that comment has been deleted', abort: false },
  NOT_AUTHOR: { status: 403, text: "you can't do that", abort: false },
  SUBSITE_RATELIMIT: { status: 429, text: 'you are doing that too much here, try again later', abort: false },
  ALREADY_MODERATOR: { status: 400, text: 'that user is already a moderator', abort: false },
  CANT_RESTRICT_MODERATOR: { status: 400, text: 'you cannot restrict a moderator', abort: false },
  BANNED_FROM_SUBSITE: { status: 400, text: 'that user is banned from the subsite', abort: false },
  INVALID_PERMISSION_TYPE: { status: 400, text: 'permissions cannot be set on that type', abort: false },
  INVALID_PERMISSIONS: { status: 400, text: 'invalid permissions string', abort: false },
  NO_INVITE_FOUND: { status: 400, text: 'there is no pending invite for that subsite', abort: false },
  NO_SR_TO_SR_MESSAGE: { status: 400, text: 'a subsite cannot write to a subsite', abort: false },
  BAD_USERNAME: { status: 400, text: 'invalid user name', abort: false },
  USERNAME_TOO_SHORT: { status: 400, text: 'username must be between 3 and 20 characters', abort: false },
  USERNAME_INVALID_CHARACTERS: { status: 400, text: 'username must contain only letters, numbers, - and _', abort: false },
  USERNAME_TAKEN: { status: 409, text: 'that username is already taken', abort: false },
  BAD_EMAIL: { status: 400, text: 'that e-mail address is invalid', abort: false },
  SHORT_PASSWORD: { status: 400, text: 'the password must be at least 6 characters', abort: false },
  BAD_PASSWORD_MATCH: { status: 400, text: "passwords don't match", abort: false },
  INCORRECT_USERNAME_OR_PASSWORD: { status: 403, text: 'incorrect username or password', abort: false },
  LOGGED_IN: { status: 409, text: 'you are already logged in as someone else', abort: false },
  BAD_SAVE_CATEGORY: { status: 403, text: 'invalid category', abort: true },
  NOT_FRIEND: { status: 400, text: 'you are not friends with that user', abort: false },
  BAD_JSONP_CALLBACK: { status: 400, text: 'that jsonp callback contains invalid characters', abort: false },
  JSON_PARSE_ERROR: { status: 400, text: 'unable to parse JSON data', abort: false },
  JSON_INVALID: { status: 400, text: 'unexpected JSON structure', abort: false },
  JSON_MISSING_KEY: { status: 400, text: 'JSON missing key', abort: false },
  OAUTH2_INVALID_CLIENT: { status: 400, text: 'invalid client id', abort: false },
  OAUTH2_INVALID_REDIRECT_URI: { status: 400, text: 'invalid redirect_uri', abort: false },
  OAUTH2_INVALID_RESPONSE_TYPE: { status: 400, text: 'invalid response type', abort: false },
  OAUTH2_INVALID_SCOPE: { status: 400, text: 'invalid scope requested', abort: false },
  OAUTH2_CONFIDENTIAL_TOKEN: { status: 400, text: 'confidential clients cannot use the token response type', abort: false },
  OAUTH2_NO_REFRESH_TOKENS_ALLOWED: { status: 400, text: 'the token response type gives no refresh tokens', abort: false },
} as const satisfies Record<string, { readonly status: number; readonly text: string; readonly abort: boolean }>

export type RefusalCode = keyof typeof refusals

/** A refusal is a value. `text` replaces the table's text where a limit or a wait must be named; `extra` joins the error body. */
export type Refusal = {
  readonly code: RefusalCode
  readonly field: string | null
  readonly text?: string
  /** Status where the place decides it (an unknown subsite is 404 in a path, 400 in a parameter). */
  readonly status?: number
  /** Further members of the error body: `redirect`, `ratelimit`. */
  readonly extra?: Readonly<Record<string, unknown>>
}
