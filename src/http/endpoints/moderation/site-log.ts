import type { SiteLogDocument } from '../../../../projections/site-log.ts'
import { id36 } from '../../../domain/ids.ts'
import { siteActionNames } from '../../../domain/site-acts.ts'
import { SITE } from '../../../history/records.ts'
import { type Names, namesOf } from '../../../queries/accounts.ts'
import { siteLogAnchor, siteLogCounts, siteLogOf, siteLogOrder } from '../../../queries/site-log.ts'
import { type Context, section, type Uses } from '../../contract/endpoint.ts'
import { accountId, cast, username } from '../../contract/schemas/names.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { listingShape, thingShape } from '../../contract/schemas/things.ts'
import { adminOnly } from '../../needs/facts.ts'
import { epoch } from '../../present/thing.ts'
import { list } from '../../things/listing.ts'
import { modActionName, type Numbers, numberFields, SERVICE_NAME } from '../../things/log-entries.ts'

type View = { readonly entry: SiteLogDocument; readonly names: Names; readonly numbers: Numbers }

const changedValue = shape.orNull(shape.union(shape.text('permanent'), shape.integer(3)))

/** The fields of a moderation log entry, without those that only an act in a subsite has. */
const fields: shape.RecordTable<View> = {
  ...numberFields<View>(({ entry, numbers }) => numbers.get(entry.id)),
  id: [shape.text('ModAction_00000000-0000-5000-8000-000000000000'), ({ entry }) => modActionName(entry.id)],
  created_utc: [shape.epoch, ({ entry }) => epoch(entry.at)],
  action: [shape.choice(...siteActionNames), ({ entry }) => entry.action],
  mod: [username, ({ entry: { by }, names }) => (by === null ? SERVICE_NAME : names(by))],
  mod_id36: [shape.orNull(accountId), ({ entry: { by } }) => (by === null ? null : id36(by))],
  description: [shape.orNull(shape.text('ordered by a court')), ({ entry }) => entry.description],
  target_fullname: [shape.text(cast.account), ({ entry }) => entry.targetId],
  target_author: [username, ({ entry, names }) => names(entry.author)],
  changes: [
    shape.listOf(shape.recordSchema({ field: shape.text('until'), before: changedValue, after: changedValue })),
    ({ entry }) => entry.changes,
  ],
}

const recordsOf = async ({ documents, history }: Context & Uses<'history'>, entries: readonly SiteLogDocument[]) => {
  const [names, numbers] = await Promise.all([
    namesOf(
      documents,
      entries.flatMap(({ by, author }) => [by, author] as SiteLogDocument['author'][]),
    ),
    history?.numbers(entries.map(({ id }) => id)) ?? new Map(),
  ])
  return entries.map((entry) => ({ kind: 'modaction', data: shape.valuesOf(fields, { entry, names, numbers }) }))
}

const { get } = section('Administration', { scope: 'read', login: 'anyone', errors: 'plain' })

export const siteLogEndpoints = [
  get('/api/v1/site/log', {
    otherPaths: ['/admin/log'],
    login: 'user',
    listing: { max: 500 },
    answers: { 200: listingShape(thingShape('modaction', shape.tableShape('SiteAction', fields))) },
    summary: 'The log of the site, newest entry first: what admins did to accounts and messages; for admins.',
    notes:
      'Suspensions and their ends, erasures of accounts and messages by admins, credits and gold that cost nobody anything, and who became or ceased to be an admin. What admins do in a subsite, erasures of its links and comments included, is in its moderation log. `mod` is `[service]` where the service acted, as for a change of `ADMINS`.',
    uses: ['history'],
    needs: { admin: adminOnly() },
    handle: (context) =>
      list({
        source: siteLogOf(context),
        order: siteLogOrder,
        nameOf: ({ id }) => modActionName(id),
        anchor: async (name) => {
          const id = /^modaction_(.+)$/.exec(name)?.[1]
          const key = id === undefined ? undefined : await siteLogAnchor(context.documents, id)
          return key && { key, viewable: true }
        },
        present: (entries) => recordsOf(context, entries),
        fleeting: true,
      }),
  }),
  get('/api/v1/site/log_counts', {
    answers: { 200: shape.recordSchema(Object.fromEntries(siteActionNames.map((action) => [action, shape.integer(3)]))) },
    summary: 'How many entries of each kind the log of the site has, for everybody.',
    notes: `Their sum is the size of the tree at \`/history/${SITE}/checkpoint\`, once it has grown so far.`,
    cache: 'public',
    handle: async ({ documents }) => ({ kind: 'json', body: await siteLogCounts(documents) }),
  }),
]
