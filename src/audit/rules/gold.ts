import type { Logged } from '../../domain/events.ts'
import type { Entry } from '../ledger.ts'
import { amend, amendKnown, isLinkName, type Note, put, type Rules } from './rule.ts'

// Gift credits, and the gold that they buy.

type Holder = { readonly csites: number; readonly goldUntil: number }
type GildedThing = { readonly gilded: number; readonly author: string; readonly deleted: boolean }

const DAY_MS = 24 * 60 * 60 * 1000

/** Computed from the ledger; the event must have the same amounts, and no account may pay more than it has. */
const move = ({ data }: Logged<'CreditsGranted' | 'ThingGilded' | 'GoldGiven'>, sign: 1 | -1, note: Note): Entry =>
  amend<Holder>('accounts', data.account, (row) => {
    const csites = row.csites + sign * data.csites
    if (csites !== data.balance) note(`it leaves ${data.balance} csites; earlier events make it ${csites}`)
    if (csites < 0) note(`it pays ${data.csites} csites out of ${row.csites}`)
    return { ...row, csites }
  })

/** Only admins pay nothing; earlier versions recorded that as by a user. */
const checkPrice = ({ data: { csites }, by: { as } }: Logged<'ThingGilded' | 'GoldGiven'>, price: number, note: Note): void => {
  if (as === 'admin' ? csites !== 0 : csites !== price && (csites !== 0 || as !== 'user'))
    note(`it costs ${csites} csites as ${as}; the price is ${price}`)
}

const record = (role: 'given' | 'received', account: string, { data: { thing, subsite }, at }: Logged<'ThingGilded'>): Entry =>
  put('gildings', { id: `${role}.${account}.${thing}`, account, role, thing, subsite, at })

export const goldRules: Rules = {
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
      amendKnown<GildedThing>(isLinkName(thing) ? 'links' : 'comments', thing, note, (row) => {
        if (row.author !== author) note(`it names ${author} as the author of ${thing}, who is ${row.author}`)
        return { ...row, gilded: row.gilded + 1 }
      }),
      record('received', author, event),
      record('given', account, event),
    ]
  },
  GoldExtended: ({ data: { account, days, until }, at }, note) => [
    amend<Holder>('accounts', account, (row) => {
      const expected = Math.max(row.goldUntil, at) + days * DAY_MS
      if (expected !== until) note(`it says until ${until}; ${days} days more are ${expected}`)
      return { ...row, goldUntil: until }
    }),
  ],
  GoldExpired: ({ data: { account }, at }, note) => [
    amend<Holder>('accounts', account, (row) => {
      if (row.goldUntil === 0 || row.goldUntil > at) note(`${account} has gold until ${row.goldUntil}`)
      return { ...row, goldUntil: 0 }
    }),
  ],
}
