import { readFile } from 'node:fs/promises'
import test from 'ava'
import { MAX_SESSIONS_PER_ACCOUNT } from '../../src/auth/sessions.ts'
import { MAX_REFRESH_TOKENS_PER_ACCOUNT } from '../../src/auth/tokens.ts'
import { MAX_MUTED_SUBSITES } from '../../src/domain/avoidance.ts'
import { MAX_BLOCKED_ACCOUNTS } from '../../src/domain/contact.ts'
import { flairLimits } from '../../src/domain/flair.ts'
import { MAX_IMAGES_PER_SUBSITE } from '../../src/domain/images.ts'
import { MAX_PENDING_INVITATIONS } from '../../src/domain/moderators.ts'
import { MAX_DESCRIPTION_CHARACTERS, MAX_MULTIS_PER_ACCOUNT, MAX_SUBSITES_PER_MULTI } from '../../src/domain/multi.ts'
import { MAX_RULES_PER_SUBSITE } from '../../src/domain/rules.ts'
import { STICKY_SLOTS } from '../../src/domain/stickies.ts'
import { MAX_SUBSCRIPTIONS_PER_ACCOUNT } from '../../src/domain/subscription.ts'
import { MAX_EDITORS_PER_PAGE } from '../../src/domain/wiki-page.ts'
import { MAX_APPS_PER_ACCOUNT } from '../../src/http/endpoints/auth/apps.ts'
import { RELATION_QUOTA } from '../../src/limits/relation-quota.ts'
import { MAX_ERASED_THINGS } from '../../src/log/keys.ts'
import { MAX_WIKI_PAGES_PER_SUBSITE } from '../../src/queries/wiki.ts'

/** Each limit on how many of something there may be, and whether requests at once keep to it exactly. */
const limits: readonly (readonly [what: string, most: number, exact: 'yes' | 'no'])[] = [
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

test('the decision names each of these limits, what it is, and whether it is exact', async (t) => {
  const text = await readFile(new URL('../../docs/decisions/0104-which-limits-are-exact.md', import.meta.url), 'utf8')
  const rows = text.split('\n').filter((line) => /^\| .* \| [\d,]+ \| /.test(line))
  t.deepEqual(
    rows.map((row) => row.split(' | ').slice(0, 3).join(' | ')),
    limits.map(([what, most, exact]) => `| ${what} | ${most.toLocaleString('en')} | ${exact}`),
  )
})
