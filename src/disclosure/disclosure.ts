// Decision 128.

import type { Envelope, EventDefinition, Meta, Readers } from '../domain/event.ts'
import { eventDefinitions } from '../domain/events.ts'
import { AccountId } from '../domain/ids.ts'
import { isModLogEntry } from '../domain/is-mod-log-entry.ts'
import type { Json } from '../domain/json.ts'
import { shownStanding, stranger } from '../domain/standing.ts'
import { mayView } from '../domain/subsite-access.ts'
import { type SubsiteSettings, subsiteTypes } from '../domain/subsite-settings.ts'
import { accountsById } from '../queries/accounts.ts'
import { openReading, type Reading } from '../queries/reading.ts'
import type { ReadingViewer } from '../queries/surroundings.ts'
import { type Facts, readFacts } from './facts.ts'
import { partiesTo, type ReadableFields, readableFields } from './readable-fields.ts'
import { redactData, thingOf } from './redactions.ts'

/*
 * Discloses events to readers, by their declarations and by the facts of today. Content that is private, deleted, removed, edited or erased
 * now is withheld, whenever the event happened. If the reader may not know the actor of an event, it has no id and no stream either: they
 * tell who it was.
 */

type Ports = Parameters<typeof openReading>[0]

/** The reader of events. A page is judged by the facts that are read for it. A page that must be judged anew needs a new reader. */
export type Reader = {
  readonly documents: Ports['documents']
  readonly read: Reading
  /** True for a suspended account: it has no rights of moderators, and reads of moderation logs what everybody reads. */
  readonly suspended: boolean
  /** True if gold opens subsites to the reader. */
  readonly gold: boolean
  /** Tells whether the reader reads events that only the accounts concerned read, by the category of the stream. */
  readonly readsOwn: (category: string) => boolean
}

/** A viewer who is not logged in. */
export const anybody: ReadingViewer = { account: undefined, admin: false }

export const readerOf = async (ports: Ports, viewer: ReadingViewer, readsOwn: Reader['readsOwn'] = () => true): Promise<Reader> => {
  const { documents, clock } = ports
  const account = viewer.account === undefined ? undefined : (await accountsById(documents, [viewer.account])).get(viewer.account)
  const suspended = account?.suspended === true && (account.suspendedUntil === null || account.suspendedUntil > clock())
  const read = openReading(ports, viewer)
  return { documents, read, suspended, gold: await read.hasGold(), readsOwn }
}

/** An event in the log, with its number if it has one. */
export type NumberedEnvelope = Envelope & { readonly n?: number }

/** The part of an event that a reader may read. `withheld` names the fields that were left out. */
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

/** The category of mail. Its texts are read in inboxes and in moderator mail, not here. */
const MAIL = 'message'

/** Returns the rights of the reader to an event. */
const rightsOf = ({ read, suspended, readsOwn }: Reader, definition: EventDefinition, event: Envelope) => {
  const { account, admin } = read.viewer
  const { subsite } = event.data as Json
  const category = event.stream.slice(0, event.stream.indexOf('-'))
  const isInSubsite = typeof subsite === 'string' && !suspended && category !== MAIL
  const moderates = isInSubsite && (isModLogEntry(event) ? read.isModerator(subsite) : read.moderates(subsite))
  const isParty =
    account !== undefined && category !== MAIL && readsOwn(category) && partiesTo(definition.fields, event.data as Json).includes(account)
  const roles: Readonly<Record<Readers, boolean>> = { public: true, subsite: moderates, party: isParty, admins: false }
  return {
    moderates: admin || moderates,
    moderatesWiki: admin || (isInSubsite && read.moderatesWiki(subsite)),
    reads: (readers: Readers): boolean => admin || roles[readers],
  }
}

/** Tells whether an event concerns a subsite, or its moderation log, that the reader may not view. */
const isElsewhere = (event: Envelope, { read, suspended }: Reader): boolean => {
  const { subsite } = event.data as Json
  if (typeof subsite !== 'string') return false
  if (!read.mayView(subsite)) return true
  return suspended && isModLogEntry(event) && !mayView(read.subsite(subsite)?.type ?? 'private', stranger)
}

/** Tells whether an event names an account that is gone. */
const namesGone = ({ type, data }: Envelope, { isGone }: Facts): boolean =>
  (type === 'AccountRegistered' || type === 'UsernameClaimed') && isGone(String((data as Json).account))

const isType = (value: unknown): value is SubsiteSettings['type'] => subsiteTypes.some((type) => type === value)

/**
 * Tells whether an event closes a subsite to everybody, or to everybody with gold, or opens it. Followers then drop their copies, or read
 * what they could not.
 */
const isTurn = ({ type, data }: Envelope, gold: boolean): boolean => {
  const { setting, before, after } = data as Json
  if (type !== 'SubsiteSettingChanged' || setting !== 'type' || !isType(before) || !isType(after)) return false
  const standing = shownStanding({ gold })
  return mayView(before, standing) !== mayView(after, standing)
}

/** Returns the closing or opening event of a subsite that the reader may not view: the subsite, and its type from then on. */
const turnOf = ({ n, type, at, data }: NumberedEnvelope): Disclosed => {
  const { subsite, setting, after } = data as Json
  return { ...(n !== undefined && { n }), type, at, data: { subsite, setting, after }, withheld: ['by', 'before', 'reason'] }
}

/**
 * Tells whether the reader learns who acted. A moderator is named in the log. The author of a thing is not named if the thing does not show
 * its author.
 */
const isActorShown = (event: Envelope, facts: Facts): boolean => {
  const { account } = event.by
  if (account === null) return true
  if (facts.isGone(account)) return false
  const thing = isModLogEntry(event) ? undefined : thingOf(event.data as Json)
  if (thing === undefined) return true
  const written = facts.authorOf(thing)
  return written !== undefined && (written.isShown || written.author !== account)
}

/**
 * The fields in the log of an event on a wiki page that the reader may not read. Other moderators of the subsite also read the page's name
 * there, but not its text.
 */
const OF_CLOSED_PAGE: ReadonlySet<string> = new Set(['subsite', 'account'])
const isOfClosedPage = (name: string, readsLog: boolean): boolean => (readsLog ? name !== 'content' : OF_CLOSED_PAGE.has(name))

/**
 * Tells whether an event is of flair. Flair that its holder chose is shown as it is now, beside its holder or link. Only flair that
 * moderators gave is in a log.
 */
const isFlair = ({ type }: Envelope): boolean => type === 'UserFlairChanged' || type === 'LinkFlairChanged'
/** Tells whether the flair is of a link that was deleted since, or of an account that is gone. */
const isFlairOfGone = ({ data }: Envelope, facts: Facts): boolean => {
  const { account } = data as Json
  const thing = thingOf(data as Json)
  return thing === undefined ? facts.isGone(String(account)) : facts.authorOf(thing)?.isShown !== true
}
const OF_FLAIR: ReadonlySet<string> = new Set(['text', 'css', 'cleared', 'before'])

/** Tells whether no log has an event: an account gave an approval back, or chose flair for itself. */
const isUnlogged = (event: Envelope): boolean =>
  (event.type === 'ContributorRemoved' || event.type === 'UserFlairChanged') && !isModLogEntry(event)

const accountsIn = (value: unknown): readonly string[] => {
  if (AccountId.is(value)) return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(accountsIn) : []
}

/** Tells whether a stream's name contains only accounts that the disclosed part contains, too. */
const isStreamShown = (stream: string, disclosed: unknown): boolean => {
  const known = new Set(accountsIn(disclosed))
  return (stream.match(/t2_[0-9a-z]+/g) ?? []).every((account) => known.has(account))
}

/** Adds the type that the subsite has from then on to the readable fields of a closing or opening event. */
const withTurn = (declared: ReadableFields, { data }: Envelope, turns: boolean): ReadableFields =>
  turns
    ? { data: { ...declared.data, after: (data as Json).after }, withheld: declared.withheld.filter((name) => name !== 'after') }
    : declared

const discloseTo = (reader: Reader, facts: Facts, event: NumberedEnvelope): Disclosed | undefined => {
  const definition = eventDefinitions.get(event.type)
  if (definition === undefined || namesGone(event, facts)) return undefined
  const turns = isTurn(event, reader.gold)
  if (isElsewhere(event, reader)) return turns ? turnOf(event) : undefined
  const { id, type, stream, revision, at, n, by, meta } = event
  const { moderates, moderatesWiki, reads } = rightsOf(reader, definition, event)
  const declared = withTurn(readableFields(definition.fields, event.data as Json, reads), event, turns)
  const judged = redactData({ id, type, stream, at, data: declared.data }, definition, facts)
  const { subsite, page } = event.data as Json
  const isClosed = !moderatesWiki && typeof subsite === 'string' && typeof page === 'string' && facts.isClosed(subsite, page)
  const isFlairHidden = isFlair(event) && !reads('party') && (!isModLogEntry(event) || (!moderates && isFlairOfGone(event, facts)))
  const unseen = Object.keys(judged.data).filter(
    (name) => (isClosed && !isOfClosedPage(name, moderates)) || (isFlairHidden && OF_FLAIR.has(name)),
  )
  const data = Object.fromEntries(Object.entries(judged.data).filter(([name]) => !unseen.includes(name)))
  const isHidden = !moderatesWiki && type === 'WikiPageRevised' && !facts.isRevisionShown(id)
  if ((isClosed || isHidden) && !isModLogEntry(event)) return undefined
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
    // the reader sees a few revisions of a stream, whose numbers would tell how much else happened there
    ...(isPlaced && moderates && { revision }),
    ...(reader.read.viewer.admin && { meta }),
    data,
    withheld: [...(isByShown ? [] : ['by']), ...new Set([...declared.withheld, ...judged.withheld, ...unseen])],
  }
}

/** Discloses the events of a page. Undefined stands for an event of which the reader may read nothing, not even that it happened. */
export const discloseEvents = async (page: readonly NumberedEnvelope[], reader: Reader): Promise<readonly (Disclosed | undefined)[]> => {
  const facts = await readFacts(
    reader.documents,
    reader.read,
    page.map(({ id, type, data, by }) => ({ id, type, data: data as Json, by })),
  )
  return page.map((event) => discloseTo(reader, facts, event))
}
