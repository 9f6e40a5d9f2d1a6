import type { LinkDocument } from '../../../projections/links.ts'
import type { ModLogDocument, ModTarget } from '../../../projections/mod-log.ts'
import type { SubsiteDocument } from '../../../projections/subsites.ts'
import { ERASED } from '../../domain/event.ts'
import { id36, kindOf } from '../../domain/ids.ts'
import type { ModAction } from '../../domain/mod-actions.ts'
import type { Names } from '../../queries/accounts.ts'
import { epoch } from './epoch.ts'
import { commentPermalink, linkPermalink } from './permalink.ts'

/** The name by which the log is paged through. */
export const modActionName = (id: string): string => `ModAction_${id}`

type Around = {
  readonly names: Names
  readonly subsites: ReadonlyMap<string, SubsiteDocument>
  /** The links that targeted comments stand under: their addresses hold the title. */
  readonly links: ReadonlyMap<string, LinkDocument>
  /** Whether its author deleted it since. */
  readonly isGone: (target: ModTarget) => boolean
  /** Whether the viewer moderates the subsite. */
  readonly moderates: (subsite: string) => boolean
}

/** The title of the link that a comment stands under, for its address; the public reads none that was deleted. */
const threadTitle = (link: string, { links }: Around, moderates: boolean): string => {
  const thread = links.get(link)
  return thread && (moderates || !thread.deleted) ? thread.title : ''
}

const permalinkOf = (subsite: string, { id, title, link }: ModTarget, around: Around, moderates: boolean): string | null => {
  switch (kindOf(id)) {
    case 'link':
      return linkPermalink(subsite, id, title ?? '')
    case 'comment':
      return link === null ? null : commentPermalink(subsite, link, threadTitle(link, around, moderates), id)
    default:
      return null
  }
}

/** Their descriptions are notes of moderators to one another. */
const withNotes: ReadonlySet<ModAction> = new Set(['banuser'])

/** The target as the public may read it: without the words of an author who took them back, or was erased. */
const forPublic = (target: ModTarget, { isGone }: Around): ModTarget => {
  const kept = (text: string | null) => (text === ERASED || isGone(target) ? null : text)
  return { ...target, title: kept(target.title), excerpt: kept(target.excerpt) }
}

/** An entry of the moderation log: its target as it was at the act. */
export const modAction = (entry: ModLogDocument, around: Around) => {
  const { id, subsite, mod, action, details, at } = entry
  const place = around.subsites.get(subsite)?.name ?? ''
  const moderates = around.moderates(subsite)
  const description = moderates || !withNotes.has(action) ? entry.description : null
  const target = moderates || entry.target === null ? entry.target : forPublic(entry.target, around)
  return {
    kind: 'modaction',
    data: {
      id: modActionName(id),
      created_utc: epoch(at),
      action,
      mod: around.names(mod),
      mod_id36: mod === null ? null : id36(mod),
      subsite: place,
      sr_id36: id36(subsite),
      details,
      description,
      target_fullname: target?.id ?? null,
      target_author: target ? around.names(target.author) : '',
      target_permalink: target && permalinkOf(place, target, around, moderates),
      target_title: target?.title ?? null,
      target_body: target?.excerpt ?? null,
    },
  }
}
