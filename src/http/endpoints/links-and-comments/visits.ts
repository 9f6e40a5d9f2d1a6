// Decision 74.

import * as E from 'fp-ts/lib/Either.js'
import { hasGoldNow } from '../../../commands/standings.ts'
import { VISIT_LIFETIME_MS, visit } from '../../../domain/visits.ts'
import { StoreFault } from '../../../ports/faults.ts'
import { queues } from '../../../ports/queues.ts'
import { visitsOf } from '../../../queries/visits.ts'
import { type Need, section } from '../../contract/endpoint.ts'
import { fullnames } from '../../contract/name-params.ts'
import { describeParam, replaceInvalid } from '../../contract/params.ts'
import { refuseRule } from '../../contract/refusals.ts'

/** Requests of one account wait for each other here; only other processes can write in between. */
const inTurn = queues()
const MAX_WRITE_ATTEMPTS = 20

const withGold: Need<true> = async (context) =>
  (await hasGoldNow(context, context.viewer.account)) ? E.right(true) : refuseRule('FORBIDDEN')

export const storeVisits = section('Links and comments').post('/api/store_visits', {
  scope: 'save',
  login: 'user',
  whileSuspended: true,
  errors: 'silent',
  summary: 'Mark links as visited; for accounts with gold.',
  notes:
    'Only if your preference `store_visits` is on. For 7 days `visited` of these links is true for you; the latest 1,000 are kept. With no links, or with too many, nothing is changed.',
  params: { links: describeParam(replaceInvalid(fullnames({ kinds: ['link'], max: 100 }), []), 'fullnames of up to 100 links') },
  needs: { gold: withGold },
  handle: async ({ params: { links }, viewer: { account }, preferences, vault, clock }) => {
    if (links.length === 0 || !(await preferences()).store_visits) return undefined
    return inTurn(account, async () => {
      for (let tries = 0; tries < MAX_WRITE_ATTEMPTS; tries++) {
        const { visits, version } = await visitsOf(vault, account)
        const now = clock()
        const entry = { value: visit(visits, links, now), owner: account, expires: now + VISIT_LIFETIME_MS }
        if (await vault.putIf('visits', account, version, entry)) return undefined
      }
      throw new StoreFault('unavailable', 'too many processes record visits of one account at once')
    })
  },
})
