// Decision 55.

import type { ModLogDocument } from '../../../projections/mod-log.ts'
import type { FieldChange } from '../../../projections/mod-log-changes.ts'
import type { ActedOn } from '../../../projections/mod-log-entries.ts'
import type { SubsiteDocument } from '../../../projections/subsites.ts'
import { ERASED_PLACEHOLDER } from '../../domain/event.ts'
import { id36, ThingId } from '../../domain/ids.ts'
import { type ModAction, modActionNames } from '../../domain/mod-actions.ts'
import { settingNames, settingTable } from '../../domain/subsite-settings.ts'
import { isForModerators } from '../../domain/wiki-access.ts'
import type { HistoryReads } from '../../history/history-reads.ts'
import { DELETED_PLACEHOLDER, type Names, namesOf } from '../../queries/accounts.ts'
import { openReading } from '../../queries/reading.ts'
import { subsitesById } from '../../queries/subsites.ts'
import { isLink, type ThingDocument, thingsById } from '../../queries/things.ts'
import { pagesById } from '../../queries/wiki.ts'
import type { Context, Uses } from '../contract/endpoint.ts'
import { accountId, cast, subsiteId, subsiteName, username } from '../contract/schemas/names.ts'
import * as shape from '../contract/schemas/schema.ts'
import { epoch } from '../present/thing.ts'
import { column } from './kinds/all.ts'

/** Returns the name of an entry as an anchor of the log. */
export const modActionName = (id: string): string => `ModAction_${id}`

/** Stands in place of the name of a moderator if the service acted; no account can have it. */
export const SERVICE_NAME = '[service]'

type EntrySurroundings = {
  readonly names: Names
  readonly subsites: ReadonlyMap<string, SubsiteDocument>
  /** The targeted links and comments, and the links of those comments: their addresses contain the title. */
  readonly things: ReadonlyMap<string, ThingDocument>
  /** Tells whether the author of a target deleted it since, or the account was deleted. */
  readonly isGone: (target: ActedOn) => boolean
  /** Tells whether the viewer moderates the subsite. */
  readonly moderates: (subsite: string) => boolean
  /** Tells whether a page of the wiki is for moderators only now. */
  readonly isClosed: (subsite: string, page: string) => boolean
  readonly numbers: Numbers
}
export type Numbers = Awaited<ReturnType<HistoryReads['numbers']>>

/** Returns the title of the link that a comment stands under, for its address. The public does not read the title of a deleted one. */
const threadTitle = (link: string, { things }: EntrySurroundings, moderates: boolean): string => {
  const thread = things.get(link)
  return thread && isLink(thread) && (moderates || !thread.deleted) ? thread.title : ''
}

const addressOf = (place: string, { id, title, link }: ActedOn, around: EntrySurroundings, moderates: boolean): string | null =>
  column(
    id,
    'permalink',
  )?.({ place, id, title: title ?? '', link, threadTitle: link === null ? '' : threadTitle(link, around, moderates) }) ?? null

/** The actions whose descriptions are notes of moderators to each other. */
const withNotes: ReadonlySet<ModAction> = new Set(['banuser', 'wikibanned', 'muteuser'])

/**
 * Returns the target as the public may read it: without its text, which a removal must remove, and without a title that its author deleted
 * or whose author was erased.
 */
const forPublic = (target: ActedOn, { isGone }: EntrySurroundings): ActedOn => {
  return { ...target, title: target.title === ERASED_PLACEHOLDER || isGone(target) ? null : target.title, excerpt: null }
}

/** Returns the words of an entry. The public does not read the name of a page there if it may not read the page. */
const wordsOf = ({ subsite, action, details, description, page }: ModLogDocument, { isClosed }: EntrySurroundings) => {
  if (page !== null && isClosed(subsite, page)) return { details: details?.includes(page) ? null : details, description: null }
  return { details, description: withNotes.has(action) ? null : description }
}

const forModerators: ReadonlySet<string> = new Set([
  'note',
  ...settingNames.filter((setting) => settingTable[setting].readers !== 'public'),
])

/** Returns the changes as the public may read them. Of the others it learns that a field changed, not from which value to which. */
const changesForPublic = ({ subsite, page, target, changes }: ModLogDocument, { isClosed, isGone }: EntrySurroundings) => {
  const isHidden = page !== null && isClosed(subsite, page)
  return changes.map((one): FieldChange => {
    const { field, before, after, authors } = one
    if (isHidden || forModerators.has(field)) return { field, before: null, after: null }
    if (authors === undefined) return one
    const withoutErased = (value: FieldChange['after']) => (value === ERASED_PLACEHOLDER || (target && isGone(target)) ? null : value)
    return { field, before: withoutErased(before), after: withoutErased(after) }
  })
}

type EntryView = Pick<ModLogDocument, 'details' | 'description' | 'target' | 'changes'> & {
  readonly entry: ModLogDocument
  readonly around: EntrySurroundings
  /** The name of the subsite. */
  readonly place: string
  readonly moderates: boolean
}

// named, since generators for Go read an alternative only where it has a name
const changedValue = shape.orNull(
  shape.component('ChangedValue', () =>
    shape.union(
      shape.text('+posts'),
      shape.integer(1),
      shape.flag,
      shape.listOf(shape.text('Be kind')),
      shape.recordSchema({ bytes: shape.integer(5_120), sha256: shape.text('0'.repeat(64)) }),
    ),
  ),
)
const changeShape = shape.component('ModActionChange', () =>
  shape.recordSchema({ field: shape.text('permissions'), before: changedValue, after: changedValue }),
)

const numberShape = (description: string) => ({ ...shape.orNull(shape.integer(0)), description })

/** Returns the numbers of an entry, in a log and in that of the whole site. */
export const numberFields = <Shown>(
  numberIn: (shown: Shown) => { readonly k: number; readonly n: number } | undefined,
): shape.RecordTable<Shown> => ({
  k: [numberShape('The number of the entry in this log, from 0.'), (shown) => numberIn(shown)?.k ?? null],
  n: [numberShape('The number of its event in the log of all events.'), (shown) => numberIn(shown)?.n ?? null],
})

const fields: shape.RecordTable<EntryView> = {
  ...numberFields<EntryView>(({ entry, around }) => around.numbers.get(entry.id)),
  id: [shape.text('ModAction_00000000-0000-5000-8000-000000000000'), ({ entry }) => modActionName(entry.id)],
  created_utc: [shape.epoch, ({ entry }) => epoch(entry.at)],
  action: [shape.choice(...modActionNames), ({ entry }) => entry.action],
  mod: [username, ({ entry: { mod }, around }) => (mod === null ? SERVICE_NAME : around.names(mod))],
  mod_id36: [shape.orNull(accountId), ({ entry: { mod } }) => (mod === null ? null : id36(mod))],
  subsite: [subsiteName, ({ place }) => place],
  sr_id36: [subsiteId, ({ entry }) => id36(entry.subsite)],
  details: [shape.orNull(shape.text('confirm_spam')), ({ details }) => details],
  description: [shape.orNull(shape.text('')), ({ description }) => description],
  target_fullname: [shape.orNull(shape.text(cast.link)), ({ target }) => target?.id ?? null],
  target_author: [shape.text('ann'), ({ target, around }) => (target ? around.names(target.author) : '')],
  target_permalink: [
    shape.orNull(shape.text(cast.linkPath)),
    ({ target, place, around, moderates }) => target && addressOf(place, target, around, moderates),
  ],
  target_title: [shape.orNull(shape.text('On water')), ({ target }) => target?.title ?? null],
  target_body: [shape.orNull(shape.text('Soft or hard?')), ({ target }) => target?.excerpt ?? null],
  changes: [shape.listOf(changeShape), ({ changes }) => changes.map(({ field, before, after }) => ({ field, before, after }))],
}

export const modActionShape = shape.tableShape('ModAction', fields)

/** Returns an entry of the moderation log, with its target as it was at the act. */
const modLogRecord = (entry: ModLogDocument, around: EntrySurroundings) => {
  const place = around.subsites.get(entry.subsite)?.name ?? ''
  const moderates = around.moderates(entry.subsite)
  const { details, description } = moderates ? entry : wordsOf(entry, around)
  const target = moderates || entry.target === null ? entry.target : forPublic(entry.target, around)
  const changes = moderates ? entry.changes : changesForPublic(entry, around)
  return { kind: 'modaction', data: shape.valuesOf(fields, { entry, around, place, moderates, details, description, target, changes }) }
}

/** Presents moderation log entries as records, in order, as the viewer may see them. */
export const modLogRecords = async (
  context: Context & Uses<'history'>,
  entries: readonly ModLogDocument[],
): Promise<readonly ReturnType<typeof modLogRecord>[]> => {
  const { documents, history } = context
  const targets = entries.flatMap(({ target }) => target ?? [])
  const read = openReading(context, context.viewer)
  const written = entries.flatMap(({ subsite, page }) => (page === null ? [] : [{ subsite, page }]))
  const [names, subsites, things, pages, numbers] = await Promise.all([
    namesOf(documents, [...entries.map(({ mod }) => mod), ...targets.map(({ author }) => author)]),
    subsitesById(
      documents,
      entries.map(({ subsite }) => subsite),
    ),
    thingsById(
      documents,
      targets.flatMap(({ id, link }) => (link === null ? id : [id, link])),
    ),
    pagesById(documents, written),
    history?.numbers(entries.map(({ id }) => id)) ?? new Map(),
    read.loadSubsites(entries.map(({ subsite }) => subsite)),
  ])
  const isGone = ({ id, author }: ActedOn) => (ThingId.is(id) ? things.get(id)?.deleted !== false : names(author) === DELETED_PLACEHOLDER)
  const isClosed = (subsite: string, page: string) => isForModerators({ page, permlevel: pages(subsite, page)?.permlevel ?? 0 })
  return entries.map((entry) => modLogRecord(entry, { names, subsites, things, isGone, moderates: read.isModerator, isClosed, numbers }))
}
