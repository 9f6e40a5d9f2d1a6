import type { Actor, AnyEvent } from '../../src/domain/event.ts'
import type { DomainEvent, Logged } from '../../src/domain/events.ts'
import type { Stamped } from '../../src/log/codec.ts'

/** When stories begin. */
export const DAWN = Date.UTC(2026, 2, 1, 12)
export const MINUTE = 60_000

export type Told = { readonly by: Actor; readonly event: DomainEvent }

type As = Actor['as']

/** Somebody does something: `by(ann)(LinkSubmitted({ … }))`. */
export const by =
  (account: string | null, as: As = account === null ? 'system' : 'user') =>
  <Event extends AnyEvent>(event: Event): Told => ({ by: { account, as }, event: event as AnyEvent as DomainEvent })

export const positionOf = (n: number): string => String(n).padStart(20, '0')

const idOf = (n: number): string => `00000000-0000-5000-8000-${String(n).padStart(12, '0')}`

/** The stream on which an event of that type stands. */
export const streamOf = ({ type, data }: DomainEvent): string => {
  const d = data as unknown as { readonly [name: string]: string }
  const target = (data as { readonly target?: { readonly id: string } }).target?.id
  if (type === 'UsernameClaimed') return `username-${String(d.name).toLowerCase()}`
  if (type === 'SubsiteNameClaimed') return `subsitename-${String(d.name).toLowerCase()}`
  if (type === 'LinkStickied' || type === 'LinkUnstickied') return `stickies-${d.subsite}`
  if (type.startsWith('Account')) return `account-${d.account}`
  if (type.startsWith('Subsite')) return `subsite-${d.subsite}`
  if (type.startsWith('Moderator')) return `moderators-${d.subsite}`
  if (type.startsWith('Link')) return `link-${d.link ?? target}`
  if (type.startsWith('Comment')) return `comment-${d.comment ?? target}`
  if (type.startsWith('Vote')) return `vote-${d.voter}.${d.thing}`
  if (type === 'ThingReported' || type === 'MessageReported') return `report-${d.account}.${d.thing ?? d.message}`
  if (type.startsWith('Message') || type.startsWith('Modmail')) return `message-${d.message}`
  if (type === 'InboxCleared') return `mailbox-${d.account}`
  if (type.startsWith('InboxEntry')) return `inbox-${d.account}.${d.thing}`
  if (type.startsWith('Thing')) return `shelf-${d.account}.${d.thing}`
  if (type.startsWith('Friend') || type === 'Unfriended') return `contact-${d.account}.${d.other}`
  if (type === 'Subscribed' || type === 'Unsubscribed') return `subscription-${d.account}.${d.subsite}`
  return `relation-${d.subsite}.${d.account}`
}

/** As it would stand in the log: a minute between events, positions from 1, ids that say which event it is. */
export const loggedFrom = (told: readonly Told[]): readonly Logged[] => {
  const revisions = new Map<string, number>()
  return told.map(({ by: actor, event }, i): Logged => {
    const stream = streamOf(event)
    const revision = (revisions.get(stream) ?? -1) + 1
    revisions.set(stream, revision)
    const id = idOf(i + 1)
    const meta = { commandId: id, correlationId: id, causationId: id, schema: 1, seen: {} }
    return { ...event, id, stream, revision, position: positionOf(i + 1), at: DAWN + i * MINUTE, by: actor, meta } as Logged
  })
}

/** What the codec seals to store the event. */
export const stampedOf = ({ id, type, data, at, by: actor, meta: { schema: _, ...meta } }: Logged): Stamped => ({
  id,
  event: { type, data } as AnyEvent,
  at,
  by: actor,
  ...meta,
})
