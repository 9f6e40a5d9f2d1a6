import test, { type ExecutionContext } from 'ava'
import { accounts } from '../../projections/accounts.ts'
import { projections } from '../../projections/all.ts'
import { openReadModels } from '../../projections/engine/sets.ts'
import { anybody, type Disclosed, discloseEvents, readerOf } from '../../src/disclosure/disclosure.ts'
import { eventDefinitions, type Logged } from '../../src/domain/events.ts'
import { isModLogEntry } from '../../src/domain/is-mod-log-entry.ts'
import { sealedEvents } from '../../src/export/levels.ts'
import { LOG_START } from '../../src/ports/event-store.ts'
import type { ReadingViewer } from '../../src/queries/surroundings.ts'
import { departureFromSchema } from '../support/event-schemas.ts'
import { fullFile } from '../support/full-file.ts'
import { allOf, openFile } from '../support/read-models.ts'

/** A site in which every event has happened, as its readers may read it now. */
const everything = async (t: ExecutionContext) => {
  const { stores, ports } = openFile(t, await fullFile(t))
  await openReadModels(ports, projections)
  const events = await ports.open(await stores.events.readAll(LOG_START, 10_000))
  const { documents, vault } = stores
  const reading = { documents, vault, config: { publicUrl: 'http://tea.example' }, clock: () => Date.UTC(2026, 11, 1) }
  const to = async (viewer: ReadingViewer): Promise<readonly (Disclosed | undefined)[]> =>
    discloseEvents(
      events.map((event, n) => ({ ...event, n })),
      await readerOf(reading, viewer),
    )
  return { documents, stores, events, to }
}

const accountsIn = (value: unknown): ReadonlySet<string> => new Set(JSON.stringify(value ?? null).match(/t2_[0-9a-z]+/g) ?? [])

/** Returns the data of an event for some readers only. */
const valuesFor = ({ type, data }: Logged, ...readers: readonly string[]): object =>
  Object.fromEntries(
    Object.entries(data).filter(([name]) => readers.includes(eventDefinitions.get(type)?.fields[name]?.readers ?? 'admins')),
  )

/** The type of a subsite is read by everybody where it closes or opens the subsite to the public. */
const isTurn = ({ type, data }: Logged): boolean => {
  const { setting, before, after } = data as { readonly setting?: string; readonly before?: string; readonly after?: string }
  return type === 'SubsiteSettingChanged' && setting === 'type' && (before === 'private') !== (after === 'private')
}

/** Events with a public part although nobody learns who acted. */
const withoutActor = ['ThingGilded', 'AccountErased']

test('a stranger learns nothing of what is not public: no type, no party, no actor', async (t) => {
  const { events, to } = await everything(t)
  const seen = await to(anybody)
  t.is(seen.length, events.length)
  const shown = new Set<string>()
  for (const [n, event] of events.entries()) {
    const found = seen[n]
    const { by } = eventDefinitions.get(event.type) ?? {}
    if (found === undefined) continue
    shown.add(event.type)
    t.is(found.n, n)
    t.true(by === 'public' || withoutActor.includes(event.type), event.type)
    t.false('meta' in found || 'revision' in found, event.type)
    if (by !== 'public') t.deepEqual([found.by, found.id, found.stream], [undefined, undefined, undefined], event.type)
    // nobody is named who is not named in what everybody reads
    const open = accountsIn([valuesFor(event, 'public'), by === 'public' ? event.by : null])
    for (const account of accountsIn(found)) t.true(open.has(account), `${event.type} names ${account}`)
    for (const name of Object.keys(valuesFor(event, 'subsite', 'party', 'admins')))
      t.is(name in found.data, isTurn(event) && name === 'after', `${event.type}.${name}`)
  }
  t.true(events.some(isTurn))
  const hidden = [...new Set(events.map(({ type }) => type))].filter((type) => !shown.has(type)).toSorted()
  t.deepEqual(
    hidden,
    [...eventDefinitions.values()]
      .filter(({ type, by }) => by !== 'public' && !withoutActor.includes(type))
      .map(({ type }) => type)
      .toSorted(),
  )
})

test('accounts that are gone, and texts that are not shown, are in no event', async (t) => {
  const { documents, events, to } = await everything(t)
  const gone = new Set((await allOf(documents, accounts)).filter(({ deleted }) => deleted).map(({ id }) => id))
  t.true(gone.size > 0)
  let named = 0
  for (const viewer of [anybody, { account: undefined, admin: true }])
    for (const found of await to(viewer)) {
      const isEnd = found?.type === 'AccountDeleted' || found?.type === 'AccountErased'
      if (found && isEnd) named += [...accountsIn(found.data)].filter((account) => gone.has(account)).length
      else if (found && !viewer.admin) for (const account of accountsIn(found)) t.false(gone.has(account), `${found.type} names ${account}`)
    }
  t.true(named > 0)
  const stranger = await to(anybody)
  const deleted = events.filter(({ type }) => type === 'CommentDeleted').map(({ data }) => (data as { readonly comment: string }).comment)
  t.true(deleted.length > 0)
  for (const found of stranger)
    if (found && deleted.includes(String(found.data.comment))) {
      t.false('body' in found.data || 'author' in found.data || 'by' in found, found.type)
      t.false('id' in found || 'stream' in found)
    }
})

test('an account reads what it did itself, a moderator what concerns the subsite, an admin all but mail and former texts', async (t) => {
  const { events, to } = await everything(t)
  const votes = events.filter(({ type }) => type === 'VoteCast') as readonly Logged<'VoteCast'>[]
  const voter = votes[0]?.data.voter ?? ''
  const own = await to({ account: voter, admin: false })
  for (const [n, event] of events.entries()) if (event.type === 'VoteCast' && own[n]) t.is(event.data.voter, voter)
  t.true(own.some((found) => found?.type === 'VoteCast' && found.by?.account === voter && found.stream?.includes(voter)))

  const seats = events.filter(({ type }) => type === 'ModeratorAdded') as readonly Logged<'ModeratorAdded'>[]
  const reported = events.findIndex(({ type }) => type === 'ThingReported')
  const { subsite } = (events[reported] as Logged<'ThingReported'>).data
  const reporter = events[reported]?.by.account ?? ''
  const moderator = seats.find(({ data }) => data.subsite === subsite && data.account !== reporter)?.data.account ?? ''
  const report = (await to({ account: moderator, admin: false }))[reported]
  t.is(report?.type, 'ThingReported')
  t.false(accountsIn([report?.by, report?.stream, report?.id]).has(reporter))
  t.false('account' in (report?.data ?? {}) || 'by' in (report ?? {}) || 'stream' in (report ?? {}))

  const all = await to({ account: undefined, admin: true })
  t.true(all.every((found, n) => found !== undefined || ['AccountRegistered', 'UsernameClaimed'].includes(events[n]?.type ?? '')))
  for (const found of all) if (found?.type === 'MessageSent') t.false('body' in found.data || 'subject' in found.data)
  t.true(all.some((found) => found?.meta?.commandId !== undefined))
})

test('the stream of an event on a page of the wiki tells no name of a page that is withheld', async (t) => {
  const { events, to } = await everything(t)
  const seen = await to(anybody)
  let closed = 0
  for (const [n, { data }] of events.entries()) {
    const { page, revision } = data as { readonly page?: string; readonly revision?: string }
    const found = seen[n]
    if (page === undefined || found === undefined || 'page' in found.data) continue
    closed += 1
    const told = JSON.stringify({ ...found, withheld: [] })
    t.false(told.includes(page), `${found.type} names ${page}`)
    if (typeof revision === 'string') t.false(told.includes(revision), `${found.type} names ${revision}`)
  }
  t.true(closed > 3)
})

test('every act in a log that a stranger may view is disclosed, with who acted', async (t) => {
  const { events, to } = await everything(t)
  const seen = await to(anybody)
  let acts = 0
  for (const [n, event] of events.entries()) {
    if (!isModLogEntry(event) || seen[n] === undefined) continue
    acts += 1
    t.is(seen[n]?.data.subsite, (event.data as { readonly subsite: string }).subsite)
  }
  t.true(acts > 50)
})

test('that an account gave its approval back is no act, and only the account and the moderators learn of it', async (t) => {
  const { events, to } = await everything(t)
  const place = events.findIndex((event) => event.type === 'ContributorRemoved' && event.data.left)
  const { data } = events[place] as Logged<'ContributorRemoved'>
  const founder = events.find((event) => event.type === 'ModeratorAdded' && event.data.subsite === data.subsite) as Logged<'ModeratorAdded'>
  const read = async (account: string | undefined) => (await to({ account, admin: false }))[place]?.data
  t.is(await read(undefined), undefined)
  t.like(await read(data.account), data)
  t.like(await read(founder.data.account), data)
})

test('events fit their schemas as each reader gets them, and as they are exported', async (t) => {
  const { stores, events, to } = await everything(t)
  const [ann] = events.flatMap((event) => (event.type === 'AccountRegistered' ? [event.data.account] : []))
  const moderators = events.flatMap((event) => (event.type === 'ModeratorAdded' ? [event.data.account] : []))
  let served = 0
  for (const account of new Set([undefined, ann, ...moderators]))
    for (const admin of [false, true])
      for (const found of await to({ account, admin }))
        if (found) {
          served++
          t.is(departureFromSchema(found), undefined)
        }
  t.true(served > events.length)
  const recorded = await stores.events.readAll(LOG_START, 10_000)
  const page = recorded.map((one, n) => ({ n, recorded: one }))
  for (const line of await sealedEvents.lines(page)) t.is(departureFromSchema(JSON.parse(line ?? '')), undefined)
  for (const event of await sealedEvents.events(page)) t.is(event && departureFromSchema(JSON.parse(JSON.stringify(event))), undefined)
})
