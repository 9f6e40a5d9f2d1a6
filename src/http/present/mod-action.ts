import type { LinkDocument } from '../../../projections/links.ts'
import type { ModLogDocument, ModTarget } from '../../../projections/mod-log.ts'
import type { SubsiteDocument } from '../../../projections/subsites.ts'
import { id36, kindOf } from '../../domain/ids.ts'
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
}

const permalinkOf = (subsite: string, { id, title, link }: ModTarget, { links }: Around): string | null => {
  switch (kindOf(id)) {
    case 'link':
      return linkPermalink(subsite, id, title ?? '')
    case 'comment':
      return link === null ? null : commentPermalink(subsite, link, links.get(link)?.title ?? '', id)
    default:
      return null
  }
}

/** An entry of the moderation log: its target as it was at the act. */
export const modAction = ({ id, subsite, mod, action, details, description, target, at }: ModLogDocument, around: Around) => {
  const place = around.subsites.get(subsite)?.name ?? ''
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
      target_permalink: target && permalinkOf(place, target, around),
      target_title: target?.title ?? null,
      target_body: target?.excerpt ?? null,
    },
  }
}
