import type { Envelope, EventDefinition, Meta, Readers } from '../domain/event.ts'
import { eventDefinitions } from '../domain/events.ts'
import { AccountId } from '../domain/ids.ts'
import { isAct } from '../domain/mod-log-acts.ts'
import { accountsById } from '../queries/accounts.ts'
import type { ReadingViewer } from '../queries/around.ts'
import { type Reading, reading } from '../queries/reading.ts'
import { type Facts, factsOf } from './facts.ts'
import { partiesTo, readableFields } from './readable-fields.ts'
import { redacted, thingOf } from './redactions.ts'

/*
 * What of an event a reader may read, by its declaration and by the facts of today: what is private, deleted, removed, edited or erased
 * now is withheld, whenever the event happened. An event whose actor is not for the reader has no id and no stream either: they tell who it was.
 */

type Json = Readonly<Record<string, unknown>>
type Ports = Parameters<typeof reading>[0]

/** Who reads events. A page is judged by the facts that are read for it: make a new reader for each page that is to be judged anew. */
export type Reader = {
  readonly documents: Ports['documents']
  readonly read: Reading
  /** A suspended moderator has no rights of moderators. */
  readonly suspended: boolean
  /** Whether the reader reads what only accounts concerned read, by the category of the stream. */
  readonly readsOwn: (category: string) => boolean
}

/** Nobody who is logged in. */
export const anybody: ReadingViewer = { account: undefined, admin: false }

export const readerOf = async (ports: Ports, viewer: ReadingViewer, readsOwn: Reader['readsOwn'] = () => true): Promise<Reader> => {
  const { documents, clock } = ports
  const own = viewer.account === undefined ? undefined : (await accountsById(documents, [viewer.account])).get(viewer.account)
  const suspended = own?.suspended === true && (own.suspendedUntil === null || own.suspendedUntil > clock())
  return { documents, read: reading(ports, viewer), suspended, readsOwn }
}

/** An event in the log, with its number where it has one. */
export type NumberedEnvelope = Envelope & { readonly n?: number }

/** What a reader may read of an event; `withheld`: the names of what was left out. */
export type Disclosed = {
  readonly n?: number
  readonly type: string
  readonly at: number
  readonly id?: string
  readonly stream?: string
  readonly revision?: number
  readonly by?: Envelope['by']
  readonly meta?: Meta
  readonly data: Json
  readonly withheld: readonly string[]
}

/** What mail says is read in inboxes and by those moderators who may, not here. */
const MAIL = 'message'

/** What the reader is to an event. */
const rightsOf = ({ read, suspended, readsOwn }: Reader, definition: EventDefinition, event: Envelope) => {
  const { account, admin } = read.viewer
  const { subsite } = event.data as Json
  const category = event.stream.slice(0, event.stream.indexOf('-'))
  const isInSubsite = typeof subsite === 'string' && !suspended && category !== MAIL
  const moderates = isInSubsite && (isAct(event) ? read.isModerator(subsite) : read.moderates(subsite))
  const isParty =
    account !== undefined && category !== MAIL && readsOwn(category) && partiesTo(definition.fields, event.data as Json).includes(account)
  const held: Readonly<Record<Readers, boolean>> = { public: true, subsite: moderates, party: isParty, admins: false }
  return {
    moderates: admin || moderates,
    moderatesWiki: admin || (isInSubsite && read.moderatesWiki(subsite)),
    reads: (readers: Readers): boolean => admin || held[readers],
  }
}

/** Whether an event stands in a subsite that the reader may not view, or tells the name of an account that is gone. */
const isOutOfSight = ({ type, data }: Envelope, { read, isGone }: Facts): boolean => {
  const { subsite, account } = data as Json
  if (typeof subsite === 'string' && !read.mayView(subsite)) return true
  return (type === 'AccountRegistered' || type === 'UsernameClaimed') && isGone(String(account))
}

/** Whether the reader is told who acted: not where the actor wrote the thing, and its author is not shown; a moderator is named in the log. */
const isActorShown = (event: Envelope, facts: Facts): boolean => {
  const { account } = event.by
  if (account === null) return true
  if (facts.isGone(account)) return false
  const thing = isAct(event) ? undefined : thingOf(event.data as Json)
  if (thing === undefined) return true
  const written = facts.authorOf(thing)
  return written !== undefined && (written.isShown || written.author !== account)
}

/** What stands in the log about a page of the wiki that the reader may not read; other moderators of the subsite read its name there, not its text. */
const OF_CLOSED_PAGE: ReadonlySet<string> = new Set(['subsite', 'account'])
const isOfClosedPage = (name: string, readsLog: boolean): boolean => (readsLog ? name !== 'content' : OF_CLOSED_PAGE.has(name))

/** A flair that its holder chose is shown beside what it is of, as it is now; only those that moderators gave are in a log. */
const isFlair = ({ type }: Envelope): boolean => type === 'UserFlairChanged' || type === 'LinkFlairChanged'
/** Nor is it shown of a link that was deleted since, or beside an account that is gone. */
const isFlairOfGone = ({ data }: Envelope, facts: Facts): boolean => {
  const { account } = data as Json
  const thing = thingOf(data as Json)
  return thing === undefined ? facts.isGone(String(account)) : facts.authorOf(thing)?.isShown !== true
}
const OF_FLAIR: ReadonlySet<string> = new Set(['text', 'css', 'cleared', 'before'])

/** That an account gave an approval back stands in no log, unlike that it had one; nor where it chose flair for itself. */
const isUnlogged = (event: Envelope): boolean => (event.type === 'ContributorRemoved' || event.type === 'UserFlairChanged') && !isAct(event)

const named = (value: unknown): readonly string[] => {
  if (AccountId.is(value)) return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(named) : []
}

/** Whether a stream's name tells of no account beside those that stand in what is disclosed. */
const isStreamShown = (stream: string, disclosed: unknown): boolean => {
  const known = new Set(named(disclosed))
  return (stream.match(/t2_[0-9a-z]+/g) ?? []).every((account) => known.has(account))
}

const disclosedTo = (reader: Reader, facts: Facts, event: NumberedEnvelope): Disclosed | undefined => {
  const definition = eventDefinitions.get(event.type)
  if (definition === undefined || isOutOfSight(event, facts)) return undefined
  const { id, type, stream, revision, at, n, by, meta } = event
  const { moderates, moderatesWiki, reads } = rightsOf(reader, definition, event)
  const declared = readableFields(definition.fields, event.data as Json, reads)
  const judged = redacted({ id, type, stream, at, data: declared.data }, definition, facts)
  const { subsite, page } = event.data as Json
  const isClosed = !moderatesWiki && typeof subsite === 'string' && typeof page === 'string' && facts.isClosed(subsite, page)
  const isFlairHidden = isFlair(event) && !reads('party') && (!isAct(event) || (!moderates && isFlairOfGone(event, facts)))
  const unseen = Object.keys(judged.data).filter(
    (name) => (isClosed && !isOfClosedPage(name, moderates)) || (isFlairHidden && OF_FLAIR.has(name)),
  )
  const data = Object.fromEntries(Object.entries(judged.data).filter(([name]) => !unseen.includes(name)))
  const isHidden = !moderatesWiki && type === 'WikiPageRevised' && !facts.isRevisionShown(id)
  if ((isClosed || isHidden) && !isAct(event)) return undefined
  if (isUnlogged(event) && !moderates && !reads('party')) return undefined

  const isByShown = reads(definition.by) && isActorShown(event, facts)
  if (!isByShown && Object.keys(data).length === 0) return undefined
  // streams of a wiki are named after its pages
  const isPlaced = isByShown && !isClosed && isStreamShown(stream, { data, by })
  return {
    ...(n !== undefined && { n }),
    type,
    at,
    ...(isByShown && { id, by: { account: by.account, as: by.as } }),
    ...(isPlaced && { stream }),
    // between the revisions that one sees, others tell how much else happened there
    ...(isPlaced && moderates && { revision }),
    ...(reader.read.viewer.admin && { meta }),
    data,
    withheld: [...(isByShown ? [] : ['by']), ...new Set([...declared.withheld, ...judged.withheld, ...unseen])],
  }
}

/** What a reader may read of the events of a page; undefined: nothing, not even that it is this event. */
export const disclosed = async (page: readonly NumberedEnvelope[], reader: Reader): Promise<readonly (Disclosed | undefined)[]> => {
  const facts = await factsOf(
    reader.documents,
    reader.read,
    page.map(({ id, type, data, by }) => ({ id, type, data: data as Json, by })),
  )
  return page.map((event) => disclosedTo(reader, facts, event))
}
