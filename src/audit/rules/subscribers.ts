import { amendFigures, figuresEntry, putFigures } from './figures.ts'
import type { LedgerRules } from './rule.ts'

// Subscriptions, and the number of subscribers of each subsite.

type Subsite = { readonly subscribers: number }

const count = (subsite: string, by: () => number) =>
  amendFigures<Subsite>('subsites', subsite, (row) => ({ ...row, subscribers: row.subscribers + by() }))

export const subscriberRules: LedgerRules = {
  SubsiteCreated: ({ data }) => [putFigures('subsites', data.subsite, { subscribers: 0 })],
  Subscribed: ({ data: { account, subsite }, at }, note) => {
    let isNew = false
    return [
      figuresEntry<object>('subscriptions', `${account}.${subsite}`, (row) => {
        isNew = row === undefined
        if (!isNew) note(`${account} was already subscribed to ${subsite}`)
        return { account, subsite, since: at }
      }),
      count(subsite, () => (isNew ? 1 : 0)),
    ]
  },
  Unsubscribed: ({ data: { account, subsite } }, note) => {
    let was = false
    return [
      figuresEntry('subscriptions', `${account}.${subsite}`, (row) => {
        was = row !== undefined
        if (!was) note(`${account} was not subscribed to ${subsite}`)
        return undefined
      }),
      count(subsite, () => (was ? -1 : 0)),
    ]
  },
}
