import { readFile } from 'node:fs/promises'
import test from 'ava'
import { MOST_SESSIONS } from '../../src/auth/sessions.ts'
import { MOST_REFRESH_TOKENS } from '../../src/auth/tokens.ts'
import { MOST_MUTED } from '../../src/domain/avoidance.ts'
import { MOST_BLOCKED } from '../../src/domain/contact.ts'
import { flairLimits } from '../../src/domain/flair.ts'
import { MOST_IMAGES } from '../../src/domain/images.ts'
import { MOST_INVITATIONS } from '../../src/domain/moderators.ts'
import { MOST_DESCRIBED, MOST_MULTIS, MOST_SUBSITES } from '../../src/domain/multi.ts'
import { MOST_RULES } from '../../src/domain/rules.ts'
import { SLOTS } from '../../src/domain/stickies.ts'
import { MOST_SUBSCRIBED } from '../../src/domain/subscription.ts'
import { MAX_EDITORS } from '../../src/domain/wiki-page.ts'
import { MOST_APPS } from '../../src/http/endpoints/auth/apps.ts'
import { RELATION_QUOTA } from '../../src/limits/relation-quota.ts'
import { MAX_ERASED_THINGS } from '../../src/log/keys.ts'
import { MAX_PAGES } from '../../src/queries/wiki.ts'

/** Each limit on how many of something there may be, and whether requests at once keep to it exactly. */
const limits: readonly (readonly [what: string, most: number, exact: 'yes' | 'no'])[] = [
  ['multis of an account', MOST_MULTIS, 'yes'],
  ['subsites in a multi', MOST_SUBSITES, 'yes'],
  ['subscriptions of an account', MOST_SUBSCRIBED, 'yes'],
  ['apps of an account', MOST_APPS, 'yes'],
  ['invitations that are pending in a subsite', MOST_INVITATIONS, 'yes'],
  ['rules of a subsite', MOST_RULES, 'yes'],
  ['flair templates of one kind in a subsite', flairLimits.templates, 'yes'],
  ['images of a stylesheet', MOST_IMAGES, 'yes'],
  ['stickied links of a subsite', SLOTS, 'yes'],
  ['editors of a wiki page', MAX_EDITORS, 'yes'],
  ['characters in the descriptions of the multis of an account', MOST_DESCRIBED, 'no'],
  ['accounts that an account blocks', MOST_BLOCKED, 'no'],
  ['subsites that an account mutes', MOST_MUTED, 'no'],
  ['pages of a wiki', MAX_PAGES, 'no'],
  ['sessions of an account', MOST_SESSIONS, 'no'],
  ['refresh tokens of an account', MOST_REFRESH_TOKENS, 'no'],
  ['things of an account that are erased one by one', MAX_ERASED_THINGS, 'no'],
  ['relationships of one type that a subsite makes in two hours', RELATION_QUOTA.most, 'no'],
]

test('the decision names each of these limits, what it is, and whether it is exact', async (t) => {
  const text = await readFile(new URL('../../docs/decisions/0104-which-limits-are-exact.md', import.meta.url), 'utf8')
  const rows = text.split('\n').filter((line) => /^\| .* \| [\d,]+ \| /.test(line))
  t.deepEqual(
    rows.map((row) => row.split(' | ').slice(0, 3).join(' | ')),
    limits.map(([what, most, exact]) => `| ${what} | ${most.toLocaleString('en')} | ${exact}`),
  )
})
