import type { AccountDocument } from '../../../../projections/accounts.ts'
import type { Karma } from '../../../../projections/karma.ts'
import { Account } from '../../../domain/account.ts'
import { accountsEverNamed } from '../../../queries/accounts.ts'
import { karmaOf } from '../../../queries/karma.ts'
import { section } from '../../contract/endpoint.ts'
import { describeParam, rawText } from '../../contract/params.ts'
import { accountId, username } from '../../contract/schemas/names.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { adminOnly } from '../../needs/facts.ts'
import { epoch } from '../../present/thing.ts'

const { get } = section('Administration', { scope: 'read', login: 'user', errors: 'plain' })

type Seen = {
  readonly account: AccountDocument
  readonly karma: Karma
  readonly note: string | undefined
  readonly now: number
  readonly admins: readonly string[]
}

const isSuspended = ({ account: { suspended, suspendedUntil }, now }: Seen): boolean =>
  suspended && (suspendedUntil === null || suspendedUntil > now)

const fields: shape.RecordTable<Seen> = {
  id: [accountId, ({ account }) => account.id.slice(3)],
  name: [username, ({ account }) => account.name],
  created_utc: [shape.epoch, ({ account }) => epoch(account.created)],
  link_karma: [shape.integer(12), ({ karma }) => karma.link],
  comment_karma: [shape.integer(34), ({ karma }) => karma.comment],
  is_admin: [shape.flag, ({ account, admins }) => admins.includes(account.lower)],
  is_deleted: [shape.flag, ({ account }) => account.deleted],
  is_suspended: [shape.flag, isSuspended],
  suspension_expiration_utc: [
    shape.orNull(shape.epoch),
    (view) => (isSuspended(view) && view.account.suspendedUntil !== null ? epoch(view.account.suspendedUntil) : null),
  ],
  suspension_note: [
    { ...shape.orNull(shape.text('adverts')), description: 'Why it is suspended, as the admin noted it.' },
    (view) => (isSuspended(view) && view.note) || null,
  ],
  gold_csites: [shape.integer(0), ({ account }) => account.csites],
  gold_expiration: [shape.orNull(shape.epoch), ({ account, now }) => (account.goldUntil > now ? epoch(account.goldUntil) : null)],
}

export const accountEndpoints = [
  get('/api/v1/site/account', {
    otherPaths: ['/admin/accounts'],
    answers: {
      200: shape.recordSchema({ name: shape.text('bob'), account: shape.orNull(shape.tableShape('SiteAccount', fields)) }),
    },
    summary: 'An account as admins see it, also a deleted one; for admins.',
    notes: 'Its suspension, credits and gold. `account` is null if nobody ever had the name.',
    params: { name: describeParam(rawText({ max: 100 }), 'its username, in any case') },
    needs: { admin: adminOnly() },
    handle: async ({ params, documents, config, clock, load }) => {
      const name = params.name.trim()
      const [account] = name === '' ? [] : await accountsEverNamed(documents, [name])
      const note = account && (await load(Account, account.id))?.suspension?.note
      const view = account && { account, karma: await karmaOf(documents, account.id), note, now: clock(), admins: config.admins }
      return { kind: 'json', body: { name, account: view ? shape.valuesOf(fields, view) : null }, fleeting: true }
    },
  }),
] as const
