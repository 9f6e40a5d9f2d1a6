import type { ModLogDocument } from '../../../../projections/mod-log.ts'
import type { ActedOn } from '../../../../projections/mod-log-entries.ts'
import type { SubsiteDocument } from '../../../../projections/subsites.ts'
import { ERASED } from '../../../domain/event.ts'
import { id36 } from '../../../domain/ids.ts'
import type { ModAction } from '../../../domain/mod-actions.ts'
import type { Names } from '../../../queries/accounts.ts'
import { isLink, type ThingDocument } from '../../../queries/things.ts'
import { epoch } from '../../present/thing.ts'
import { column } from '../../things/kinds.ts'

/** The name by which the log is paged through. */
export const modActionName = (id: string): string => `ModAction_${id}`

/** In place of the name of a moderator, where the service acted; no account can have it. */
export const SERVICE = '[service]'

type Around = {
  readonly names: Names
  readonly subsites: ReadonlyMap<string, SubsiteDocument>
  /** The targeted links and comments, and the links of those comments: their addresses contain the title. */
  readonly things: ReadonlyMap<string, ThingDocument>
  /** Whether its author deleted it since. */
  readonly isGone: (target: ActedOn) => boolean
  /** Whether the viewer moderates the subsite. */
  readonly moderates: (subsite: string) => boolean
  /** Whether a page of the wiki is for moderators only, as it is now. */
  readonly isClosed: (subsite: string, page: string) => boolean
}

/** The title of the link that a comment stands under, for its address; the public reads none that was deleted. */
const threadTitle = (link: string, { things }: Around, moderates: boolean): string => {
  const thread = things.get(link)
  return thread && isLink(thread) && (moderates || !thread.deleted) ? thread.title : ''
}

const addressOf = (place: string, { id, title, link }: ActedOn, around: Around, moderates: boolean): string | null =>
  column(
    id,
    'permalink',
  )?.({ place, id, title: title ?? '', link, threadTitle: link === null ? '' : threadTitle(link, around, moderates) }) ?? null

/** The actions whose descriptions are notes of moderators to each other. */
const withNotes: ReadonlySet<ModAction> = new Set(['banuser', 'wikibanned', 'muteuser'])

/** The target as the public may read it: without texts that their author deleted, or whose author was erased. */
const forPublic = (target: ActedOn, { isGone }: Around): ActedOn => {
  const kept = (text: string | null) => (text === ERASED || isGone(target) ? null : text)
  return { ...target, title: kept(target.title), excerpt: kept(target.excerpt) }
}

/** The public does not read the name of a page in an entry if it may not read the page. */
const wordsOf = ({ subsite, action, details, description, page }: ModLogDocument, { isClosed }: Around) => {
  if (page !== null && isClosed(subsite, page)) return { details: details?.includes(page) ? null : details, description: null }
  return { details, description: withNotes.has(action) ? null : description }
}

/** An entry of the moderation log: its target as it was at the act. */
export const modAction = (entry: ModLogDocument, around: Around) => {
  const { id, subsite, mod, action, at } = entry
  const place = around.subsites.get(subsite)?.name ?? ''
  const moderates = around.moderates(subsite)
  const { details, description } = moderates ? entry : wordsOf(entry, around)
  const target = moderates || entry.target === null ? entry.target : forPublic(entry.target, around)
  return {
    kind: 'modaction',
    data: {
      id: modActionName(id),
      created_utc: epoch(at),
      action,
      mod: mod === null ? SERVICE : around.names(mod),
      mod_id36: mod === null ? null : id36(mod),
      subsite: place,
      sr_id36: id36(subsite),
      details,
      description,
      target_fullname: target?.id ?? null,
      target_author: target ? around.names(target.author) : '',
      target_permalink: target && addressOf(place, target, around, moderates),
      target_title: target?.title ?? null,
      target_body: target?.excerpt ?? null,
    },
  }
}
