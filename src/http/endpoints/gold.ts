// Decision 27.

import * as E from 'fp-ts/lib/Either.js'
import {
  Credits,
  gildThing,
  giveGold,
  grantCredits,
  MAX_CREDITS_PER_GRANT,
  MAX_GOLD_MONTHS_PER_GIFT,
  type Payer,
} from '../../domain/credits.ts'
import { type AnyEndpoint, type Need, section } from '../contract/endpoint.ts'
import { fullname } from '../contract/name-params.ts'
import { describeParam, integer, rawText, strictInteger } from '../contract/params.ts'
import * as shape from '../contract/schemas/schema.ts'
import { accountBy, adminOnly, decodeLate, postNamed } from '../needs/facts.ts'
import { kindsWith } from '../things/kinds/all.ts'

const paid = { scope: 'csites', login: 'token', errors: 'coded' } as const
const { post } = section('Gold', paid)

/** Returns the paying account. An admin pays nothing, and acts as an admin. */
const payer: Need<Payer> = ({ viewer: { account, admin }, actAs }) => {
  if (admin) actAs('admin')
  return E.right({ account, staff: admin })
}

const gild = post('/api/v1/gold/gild/{fullname}', {
  summary: 'Gild a link or comment: give its author a month of gold.',
  notes:
    'Costs one gift credit per call; admins pay nothing. The author is notified, without the name of the giver. The thing is listed under `gilded` of the author, and with `show=given` under yours.',
  params: { fullname: describeParam(fullname(...kindsWith('post')), 'what is gilded; what is unknown or deleted is NO_THING_ID') },
  needs: { thing: postNamed('fullname', 'NO_THING_ID'), by: payer },
  handle: ({ thing, by, run }) => run(Credits, by.account, gildThing(by, thing)),
})

const give = post('/api/v1/gold/give/{username}', {
  summary: 'Give an account months of gold.',
  notes: 'Costs one gift credit per month; admins pay nothing. The account is notified, without the name of the giver.',
  params: { username: describeParam(rawText({ max: 100 }), 'to whom') },
  needs: {
    to: accountBy('username'),
    months: decodeLate(describeParam(integer({ min: 1, max: MAX_GOLD_MONTHS_PER_GIFT }), 'how many, 1 to 36')),
    by: payer,
  },
  handle: ({ to, months, by, run }) => run(Credits, by.account, giveGold(by, to, months)),
})

const grant = section('Administration').post('/api/v1/gold/grant/{username}', {
  ...paid,
  answers: { 200: shape.recordSchema({ csites: shape.integer(12, 'What the account has now.') }) },
  summary: 'Grant an account gift credits; for admins.',
  params: { username: describeParam(rawText({ max: 100 }), 'to whom') },
  needs: {
    admin: adminOnly(),
    to: accountBy('username'),
    csites: decodeLate(describeParam(strictInteger({ min: 1, max: MAX_CREDITS_PER_GRANT }), 'how many')),
  },
  handle: async ({ to, csites, run }) => {
    const granted = await run(Credits, to, grantCredits(to, csites))
    if (E.isLeft(granted)) return granted
    return { kind: 'json', body: { csites: granted.right.events[0]?.data.balance ?? csites } }
  },
})

export const goldEndpoints: readonly AnyEndpoint[] = [gild, give, grant]
