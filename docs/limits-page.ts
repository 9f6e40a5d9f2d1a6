import { CODE_LIFETIME_MS } from '../src/auth/authorization-code.ts'
import { MAX_SESSIONS_PER_ACCOUNT, SESSION_LIFETIMES_MS } from '../src/auth/sessions.ts'
import { ACCESS_TOKEN_LIFETIME_SECONDS, MAX_REFRESH_TOKENS_PER_ACCOUNT } from '../src/auth/tokens.ts'
import { flairLimits } from '../src/domain/flair.ts'
import { MAX_BLOCKED_ACCOUNTS } from '../src/domain/friends-and-blocks.ts'
import { MAX_IMAGE_BYTES, MAX_IMAGES_PER_SUBSITE } from '../src/domain/images.ts'
import { MAX_PENDING_INVITATIONS } from '../src/domain/moderator-invitations.ts'
import { MAX_DESCRIPTION_CHARACTERS, MAX_MULTIS_PER_ACCOUNT, MAX_SUBSITES_PER_MULTI } from '../src/domain/multi.ts'
import { MAX_MUTED_SUBSITES } from '../src/domain/mutes-and-blocks.ts'
import { MAX_PASSWORD_CHARACTERS } from '../src/domain/password.ts'
import { type QuotaName, quotas } from '../src/domain/quotas.ts'
import { MAX_REASON_CHARACTERS } from '../src/domain/report.ts'
import { MAX_RULES_PER_SUBSITE, ruleLimits } from '../src/domain/rules.ts'
import { STICKY_SLOTS } from '../src/domain/stickies.ts'
import { MAX_STYLESHEET_BYTES } from '../src/domain/stylesheet.ts'
import { MAX_SUBSCRIPTIONS_PER_ACCOUNT } from '../src/domain/subscription.ts'
import { limits } from '../src/domain/text-limits.ts'
import { DAY, HOUR, MINUTE } from '../src/domain/time.ts'
import { MAX_EDITORS_PER_PAGE } from '../src/domain/wiki-page.ts'
import { MAX_PAGE_CONTENT_BYTES } from '../src/domain/wiki-page-name.ts'
import { DEFAULT_LIMIT } from '../src/http/contract/listing-params.ts'
import { MAX_APPS_PER_ACCOUNT } from '../src/http/endpoints/auth/apps.ts'
import {
  MAX_MORE_CHILDREN,
  MAX_TREE_COMMENTS,
  MAX_TREE_COMMENTS_PRIVILEGED,
  MAX_TREE_DEPTH,
} from '../src/http/endpoints/listings/threads.ts'
import { MAX_BODY_BYTES, MAX_LONG_BODY_BYTES, MAX_MULTIPART_BYTES } from '../src/http/wire/request-body.ts'
import { CAPTCHAS } from '../src/limits/captcha-count.ts'
import { FAILED_LOGINS } from '../src/limits/login-throttle.ts'
import { ENOUGH_KARMA, POSTING_WAIT_MS } from '../src/limits/posting-wait.ts'
import { MAX_REQUESTS, MAX_REQUESTS_OF_ADDRESS, REQUEST_WINDOW_MS } from '../src/limits/rate-limit.ts'
import { REGISTRATION_WAIT_MS } from '../src/limits/registration-wait.ts'
import { RELATION_QUOTA } from '../src/limits/relation-quota.ts'
import { MAX_ERASED_THINGS } from '../src/log/keys.ts'
import { MAX_WIKI_PAGES_PER_SUBSITE } from '../src/queries/wiki.ts'
import { RESPONSE_STORAGE_MS } from '../src/runtime/idempotency.ts'

/** Each limit on how many of something there may be, and whether requests at once keep to it exactly. */
export const countLimits: readonly (readonly [what: string, most: number, exact: 'yes' | 'no'])[] = [
  ['multis of an account', MAX_MULTIS_PER_ACCOUNT, 'yes'],
  ['subsites in a multi', MAX_SUBSITES_PER_MULTI, 'yes'],
  ['subscriptions of an account', MAX_SUBSCRIPTIONS_PER_ACCOUNT, 'yes'],
  ['apps of an account', MAX_APPS_PER_ACCOUNT, 'yes'],
  ['invitations that are pending in a subsite', MAX_PENDING_INVITATIONS, 'yes'],
  ['rules of a subsite', MAX_RULES_PER_SUBSITE, 'yes'],
  ['flair templates of one kind in a subsite', flairLimits.templates, 'yes'],
  ['images of a stylesheet', MAX_IMAGES_PER_SUBSITE, 'yes'],
  ['stickied links of a subsite', STICKY_SLOTS, 'yes'],
  ['editors of a wiki page', MAX_EDITORS_PER_PAGE, 'yes'],
  ['characters in the descriptions of the multis of an account', MAX_DESCRIPTION_CHARACTERS, 'no'],
  ['accounts that an account blocks', MAX_BLOCKED_ACCOUNTS, 'no'],
  ['subsites that an account mutes', MAX_MUTED_SUBSITES, 'no'],
  ['pages of a wiki', MAX_WIKI_PAGES_PER_SUBSITE, 'no'],
  ['sessions of an account', MAX_SESSIONS_PER_ACCOUNT, 'no'],
  ['refresh tokens of an account', MAX_REFRESH_TOKENS_PER_ACCOUNT, 'no'],
  ['things of an account that are erased one by one', MAX_ERASED_THINGS, 'no'],
  ['relationships of one type that a subsite makes in two hours', RELATION_QUOTA.most, 'no'],
]

const quotaWords: Readonly<Record<QuotaName, string>> = {
  edit: 'edits of links, comments and messages',
  settings: 'changes of the settings of subsites',
  audience: 'changes of who may view a subsite',
  compose: 'messages that begin a conversation',
  avoid: 'accounts and subsites blocked, muted, or no longer so',
  preferences: 'changes of preferences',
  upload: 'images uploaded',
  stylesheet: 'stylesheets saved',
  sticky: 'links stickied, or no longer so',
  wiki: 'edits of wiki pages',
  wikiDay: 'edits of wiki pages',
  export: 'exports of everything that the account wrote',
  report: 'reports',
  ignore: 'reports ignored, or no longer so',
  collapse: 'messages collapsed, or no longer so',
  flair: 'flair given, chosen and hidden',
  flaircsv: 'calls that set the flair of many accounts',
  relate: 'relationships with a subsite made, ended and changed',
  distinguish: 'things distinguished, or no longer so',
  option: 'marks and modes of links and comments switched',
  multi: 'multis created, changed and deleted',
  unvote: 'votes retracted',
}

const count = (number: number): string => number.toLocaleString('en')

/** A span of time in its largest whole unit. */
const span = (ms: number): string => {
  const [unit, size] = (
    [
      ['day', DAY],
      ['hour', HOUR],
      ['minute', MINUTE],
      ['second', 1000],
    ] as const
  ).find(([, one]) => ms % one === 0) ?? ['millisecond', 1]
  return ms === size ? `1 ${unit}` : `${count(ms / size)} ${unit}s`
}

const kilobytes = (bytes: number): string => `${count(bytes / 1024)} KiB`
const characters = (number: number): string => `${count(number)} characters`
const perTime = ({ most, window }: { readonly most: number; readonly window: number }): string => `${count(most)} in ${span(window)}`

type Row = readonly [what: string, limit: string, code: string]

const link = (code: string): string => (/^[A-Z\d_]+$/.test(code) ? `[\`${code}\`](errors.md#${code.toLowerCase()})` : code)

const requestRows: readonly Row[] = [
  ['requests with a token, by account and app', perTime({ most: MAX_REQUESTS, window: REQUEST_WINDOW_MS }), 'TOO_MANY_REQUESTS'],
  ['requests without a token, by address', perTime({ most: MAX_REQUESTS, window: REQUEST_WINDOW_MS }), 'TOO_MANY_REQUESTS'],
  ['requests of all tokens from one address', perTime({ most: MAX_REQUESTS_OF_ADDRESS, window: REQUEST_WINDOW_MS }), 'TOO_MANY_REQUESTS'],
  ['failed logins to one account from one address', perTime(FAILED_LOGINS.pair), 'RATELIMIT'],
  ['failed logins from one address', perTime(FAILED_LOGINS.address), 'RATELIMIT'],
  ['registrations from one address', perTime({ most: 1, window: REGISTRATION_WAIT_MS }), 'RATELIMIT'],
  ['captchas of one account', perTime(CAPTCHAS.account), 'TOO_MANY_REQUESTS'],
  ['captchas of one address', perTime(CAPTCHAS.address), 'TOO_MANY_REQUESTS'],
  ['calls of `morechildren` in parallel', '1', 'TOO_MANY_REQUESTS'],
  ['subsites created by one account', perTime({ most: 1, window: POSTING_WAIT_MS }), 'RATELIMIT'],
  [
    `links in a subsite where you have less than ${ENOUGH_KARMA.submit} link karma`,
    perTime({ most: 1, window: POSTING_WAIT_MS }),
    'RATELIMIT',
  ],
  [
    `comments in a subsite where you have less than ${ENOUGH_KARMA.comment} comment karma`,
    perTime({ most: 1, window: POSTING_WAIT_MS }),
    'RATELIMIT',
  ],
]

const sizeRows: readonly Row[] = [
  ['the body of a request', kilobytes(MAX_BODY_BYTES), 'TOO_LARGE'],
  ['the same with the text of a wiki page or a stylesheet', kilobytes(MAX_LONG_BODY_BYTES), 'TOO_LARGE'],
  ['the same with a file', kilobytes(MAX_MULTIPART_BYTES), 'TOO_LARGE'],
  ['the title of a link', characters(limits.title), 'TOO_LONG'],
  ['the text of a link', characters(limits.selfText), 'TOO_LONG'],
  ['a comment', characters(limits.comment), 'TOO_LONG'],
  ['a message', characters(limits.message), 'TOO_LONG'],
  ['the subject of a message', characters(limits.subject), 'TOO_LONG'],
  ['the reason of a report', characters(MAX_REASON_CHARACTERS), 'TOO_LONG'],
  ['a note on a friend, a ban or a mute', characters(limits.note), 'TOO_LONG'],
  ['the message of a ban', characters(limits.banMessage), 'TOO_LONG'],
  ['the name of a rule', characters(ruleLimits.name), 'TOO_LONG'],
  ['the description of a rule', characters(ruleLimits.description), 'TOO_LONG'],
  ['a search', `${characters(limits.searchQuery)}, ${limits.searchWords} words`, 'TOO_LONG'],
  ['a password', characters(MAX_PASSWORD_CHARACTERS), 'TOO_LONG'],
  ['a wiki page', kilobytes(MAX_PAGE_CONTENT_BYTES), 'CONTENT_LENGTH_ERROR'],
  ['a stylesheet', kilobytes(MAX_STYLESHEET_BYTES), 'BAD_CSS'],
  ['an image', kilobytes(MAX_IMAGE_BYTES), 'IMAGE_ERROR'],
]

const responseRows: readonly Row[] = [
  ['things on a page of a listing', `100; ${DEFAULT_LIMIT} if \`limit\` is absent`, 'more are left for the next page'],
  [
    'comments of a thread',
    `${count(MAX_TREE_COMMENTS)}; for moderators and with gold ${count(MAX_TREE_COMMENTS_PRIVILEGED)}`,
    '`more` objects stand for the others',
  ],
  ['levels of a thread', String(MAX_TREE_DEPTH), '`more` objects stand for the others'],
  ['comments of one call of `morechildren`', String(MAX_MORE_CHILDREN), '`more` objects stand for the others'],
]

const timeRows: readonly Row[] = [
  ['an access token', span(ACCESS_TOKEN_LIFETIME_SECONDS * 1000), 'UNAUTHORIZED'],
  ['a refresh token', 'until it is revoked', 'OAUTH2_INVALID_GRANT'],
  ['an authorization code', span(CODE_LIFETIME_MS), '`invalid_grant`'],
  ['a session', `${span(SESSION_LIFETIMES_MS.short)}; remembered, ${span(SESSION_LIFETIMES_MS.remembered)}`, 'USER_REQUIRED'],
  ['the answer to an `Idempotency-Key`', span(RESPONSE_STORAGE_MS), 'later the key is new'],
]

const parts = (): readonly (readonly [title: string, rows: readonly Row[]])[] => [
  ['requests', requestRows],
  ['acts of one account', Object.entries(quotas).map(([name, quota]) => [quotaWords[name as QuotaName], perTime(quota), 'RATELIMIT'])],
  ['how many there can be', countLimits.map(([what, most]) => [what, count(most), ''])],
  ['how long a text or a file can be', sizeRows],
  ['how much one answer holds', responseRows],
  ['how long something lasts', timeRows],
]

/** All limits in one table. */
export const limitsText = (note: string): string =>
  [
    '# Limits',
    note,
    'The limits on requests, logins excepted, and on acts of accounts are off on a service that is used on its own machine only (`RATE_LIMITS` in the [configuration](../configuration.md)). Admins have no limits on acts.',
    'Windows of requests and of acts are aligned: one of 10 minutes ends at each full ten minutes of the clock. `X-Ratelimit-Used`, `X-Ratelimit-Remaining` and `X-Ratelimit-Reset` (seconds) tell your share of the first limit in each answer. An answer with status 429 says in `Retry-After` how many seconds to wait; a form says it in `json.ratelimit`. [Retrying](retrying.md) shows what to do.',
    'Text is counted in characters (code points), files in bytes.',
    [
      '| what | limit | beyond it |',
      '|---|---|---|',
      ...parts().flatMap(([title, rows]) => [
        `| **${title}** | | |`,
        ...rows.map(([what, most, code]) => `| ${what} | ${most} | ${link(code)} |`),
      ]),
    ].join('\n'),
  ].join('\n\n')
