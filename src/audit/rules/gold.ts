import type { Logged } from '../../domain/events.ts'
import type { LedgerEntry } from '../ledger.ts'
import { amendFigures, putFigures } from './figures.ts'
import { isLinkName, type LedgerRules, type Note } from './rule.ts'

// Gift credits, and the gold that they buy.

type Holder = { readonly csites: number; readonly goldUntil: number }
type GildedThing = { readonly gilded: number }

const DAY_MS = 24 * 60 * 60 * 1000

/** Moves credits in the ledger. The event must have the same amounts, and no account may pay more than it has. */
const move = ({ data }: Logged<'CreditsGranted' | 'ThingGilded' | 'GoldGiven'>, sign: 1 | -1, note: Note): LedgerEntry =>
  amendFigures<Holder>('accounts', data.account, (row) => {
    const csites = row.csites + sign * data.csites
    if (csites !== data.balance) note(`it leaves ${data.balance} csites; earlier events make it ${csites}`)
    if (csites < 0) note(`it pays ${data.csites} csites out of ${row.csites}`)
    return { ...row, csites }
  })

/** Checks the price: only admins pay nothing. Earlier versions recorded that as by a user. */
const checkPrice = ({ data: { csites }, by: { as } }: Logged<'ThingGilded' | 'GoldGiven'>, price: number, note: Note): void => {
  if (as === 'admin' ? csites !== 0 : csites !== price && (csites !== 0 || as !== 'user'))
    note(`it costs ${csites} csites as ${as}; the price is ${price}`)
}

const recordGilding = (role: 'given' | 'received', account: string, { data: { thing, subsite }, at }: Logged<'ThingGilded'>): LedgerEntry =>
  putFigures('gildings', `${role}.${account}.${thing}`, { account, role, thing, subsite, at })

export const goldRules: LedgerRules = {
  CreditsGranted: (event, note) => [move(event, 1, note)],
  GoldGiven: (event, note) => {
    checkPrice(event, event.data.months, note)
    return [move(event, -1, note)]
  },
  ThingGilded: (event, note) => {
    const { thing, account, author } = event.data
    checkPrice(event, 1, note)
    return [
      move(event, -1, note),
      amendFigures<GildedThing>(isLinkName(thing) ? 'links' : 'comments', thing, (row) => ({ ...row, gilded: row.gilded + 1 })),
      recordGilding('received', author, event),
      recordGilding('given', account, event),
    ]
  },
  GoldExtended: ({ data: { account, days, until }, at }, note) => [
    amendFigures<Holder>('accounts', account, (row) => {
      const expected = Math.max(row.goldUntil, at) + days * DAY_MS
      if (expected !== until) note(`it says until ${until}; ${days} days more are ${expected}`)
      return { ...row, goldUntil: until }
    }),
  ],
  GoldExpired: ({ data: { account }, at }, note) => [
    amendFigures<Holder>('accounts', account, (row) => {
      if (row.goldUntil === 0 || row.goldUntil > at) note(`${account} has gold until ${row.goldUntil}`)
      return { ...row, goldUntil: 0 }
    }),
  ],
}
