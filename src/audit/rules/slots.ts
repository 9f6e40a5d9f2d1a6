import { amendFigures, figuresEntry } from './figures.ts'
import type { LedgerRules } from './rule.ts'
import { leads } from './votes.ts'

// The slots of stickied links, and the comment that leads a thread.

type Slots = { readonly links: readonly string[] }
type Thread = { readonly stickyComment: string | null }

export const slotRules: LedgerRules = {
  LinkStickied: ({ data: { subsite, target, slot } }, note) => [
    figuresEntry<Slots>('stickies', subsite, ({ links } = { links: [] }) => {
      if (links.includes(target.id) || slot < 1 || slot > links.length + 1)
        note(`${target.id} cannot go into slot ${slot} beside ${links.length} others`)
      return { links: links.toSpliced(slot - 1, 0, target.id) }
    }),
    amendFigures('links', target.id, (link) => ({ ...link, slot })),
  ],
  LinkUnstickied: ({ data: { subsite, target, slot } }, note) => [
    amendFigures<Slots>('stickies', subsite, ({ links }) => {
      if (links[slot - 1] !== target.id) note(`${target.id} is not in slot ${slot}`)
      return { links: links.filter((link) => link !== target.id) }
    }),
    amendFigures('links', target.id, (link) => ({ ...link, slot: null })),
  ],
  CommentStickied: (event, note) => [
    leads(event, event.data.target.id),
    amendFigures<Thread>('links', event.data.link, (link) => {
      if (link.stickyComment !== null) note(`${link.stickyComment} leads the thread already`)
      return { ...link, stickyComment: event.data.target.id }
    }),
  ],
  CommentUnstickied: (event, note) => [
    leads(event, null),
    amendFigures<Thread>('links', event.data.link, (link) => {
      if (link.stickyComment !== event.data.target.id) note(`${event.data.target.id} does not lead the thread`)
      return { ...link, stickyComment: null }
    }),
  ],
}
