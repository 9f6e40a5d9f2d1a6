import * as t from 'io-ts'
import { type Aggregate, type Decide, nothing, record, refuse } from './decision.ts'
import { type EventOf, event, optional, sealed } from './event.ts'
import { AccountId, LinkId, SubsiteId } from './ids.ts'
import { excerptOf, Target } from './target.ts'

/**
 * A link (`url`) or a self-post (`text`). The author's insightful vote is part of it. `filtered`: born removed by the subsite's
 * spam settings.
 */
export const LinkSubmitted = event('LinkSubmitted', {
  link: LinkId,
  subsite: SubsiteId,
  author: AccountId,
  title: sealed('author'),
  url: optional(sealed('author')),
  text: optional(sealed('author')),
  over18: t.boolean,
  sendReplies: t.boolean,
  filtered: t.boolean,
})
export const LinkEdited = event('LinkEdited', { link: LinkId, subsite: SubsiteId, author: AccountId, text: sealed('author') })
export const LinkDeleted = event('LinkDeleted', { link: LinkId, subsite: SubsiteId, author: AccountId })
/** `before`: whether it was removed already; each removal and each approval is a decision of its own, and an entry. */
export const LinkRemoved = event('LinkRemoved', { subsite: SubsiteId, target: Target, spam: t.boolean, before: t.boolean })
export const LinkApproved = event('LinkApproved', { subsite: SubsiteId, target: Target, before: t.boolean })
export const LinkLocked = event('LinkLocked', { subsite: SubsiteId, target: Target })
export const LinkUnlocked = event('LinkUnlocked', { subsite: SubsiteId, target: Target })
export type LinkEvent =
  | EventOf<typeof LinkSubmitted>
  | EventOf<typeof LinkEdited>
  | EventOf<typeof LinkDeleted>
  | EventOf<typeof LinkRemoved>
  | EventOf<typeof LinkApproved>
  | EventOf<typeof LinkLocked>
  | EventOf<typeof LinkUnlocked>

export type Link = {
  readonly id: LinkId
  readonly subsite: SubsiteId
  readonly author: AccountId
  readonly title: string
  readonly isSelf: boolean
  readonly text: string
  readonly created: number
  readonly sendReplies: boolean
  readonly locked: boolean
  readonly removed: boolean
  readonly deleted: boolean
}

export const Link: Aggregate<Link, LinkEvent> = {
  category: 'link',
  on: {
    LinkSubmitted: (_, { link, subsite, author, title, url, text = '', sendReplies, filtered }, { at }) => ({
      id: link,
      subsite,
      author,
      title,
      isSelf: url === undefined,
      text,
      created: at,
      sendReplies,
      locked: false,
      removed: filtered,
      deleted: false,
    }),
    LinkEdited: (link, { text }) => link && { ...link, text },
    LinkDeleted: (link) => link && { ...link, deleted: true },
    LinkRemoved: (link) => link && { ...link, removed: true },
    LinkApproved: (link) => link && { ...link, removed: false },
    LinkLocked: (link) => link && { ...link, locked: true },
    LinkUnlocked: (link) => link && { ...link, locked: false },
  },
}

/** The link as a moderator's act describes it. */
export const targetOf = (link: Link): Target => ({ id: link.id, author: link.author, title: link.title, excerpt: excerptOf(link.text) })

export const lockLink: Decide<Link, LinkEvent> = (link) => {
  if (!link) return refuse('NOT_FOUND')
  if (link.locked) return nothing // asking twice is not an error, and not news
  return record(LinkLocked({ subsite: link.subsite, target: targetOf(link) }))
}

export const unlockLink: Decide<Link, LinkEvent> = (link) => {
  if (!link) return refuse('NOT_FOUND')
  if (!link.locked) return nothing
  return record(LinkUnlocked({ subsite: link.subsite, target: targetOf(link) }))
}
