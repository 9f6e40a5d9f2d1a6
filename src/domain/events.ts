import { accountEvents, usernameEvents } from './account.ts'
import { adminsEvents } from './admins.ts'
import { audienceEvents } from './audience.ts'
import { commentEvents } from './comment.ts'
import { creditsEvents } from './credits.ts'
import type { AppendedEnvelope, Envelope, EventDefinition, OneOf } from './event.ts'
import { linkFlairEvents, userFlairEvents } from './flair.ts'
import { contactEvents } from './friends-and-blocks.ts'
import { goldEvents } from './gold.ts'
import { imagesEvents } from './images.ts'
import { inboxClearingEvents } from './inbox-clearing.ts'
import { inboxEntryEvents } from './inbox-entry.ts'
import { linkEvents } from './link.ts'
import { messageEvents } from './message.ts'
import { moderatorsEvents } from './moderators.ts'
import { multiEvents } from './multi.ts'
import { muteAndBlockEvents } from './mutes-and-blocks.ts'
import { preferencesEvents } from './preferences.ts'
import { relationEvents } from './relation.ts'
import { reportEvents } from './report.ts'
import { rulesEvents } from './rules.ts'
import { shelfEvents } from './shelf.ts'
import { stickiesEvents } from './stickies.ts'
import { stickyCommentEvents } from './sticky-comment.ts'
import { stylesheetEvents } from './stylesheet.ts'
import { subscriptionEvents } from './subscription.ts'
import { subsiteEvents, subsiteNameEvents } from './subsite.ts'
import { subsiteFlairEvents } from './subsite-flair.ts'
import { voteEvents } from './vote.ts'
import { wikiPageEvents } from './wiki-page.ts'
import { wikiRevisionEvents } from './wiki-revision.ts'

/** All events that can be stored, as their aggregates list them. */
const definitions = [
  ...accountEvents,
  ...usernameEvents,
  ...preferencesEvents,
  ...adminsEvents,
  ...subsiteEvents,
  ...audienceEvents,
  ...subsiteNameEvents,
  ...moderatorsEvents,
  ...stickiesEvents,
  ...stickyCommentEvents,
  ...rulesEvents,
  ...imagesEvents,
  ...stylesheetEvents,
  ...relationEvents,
  ...contactEvents,
  ...muteAndBlockEvents,
  ...subscriptionEvents,
  ...linkEvents,
  ...commentEvents,
  ...voteEvents,
  ...messageEvents,
  ...inboxEntryEvents,
  ...inboxClearingEvents,
  ...shelfEvents,
  ...reportEvents,
  ...multiEvents,
  ...wikiPageEvents,
  ...wikiRevisionEvents,
  ...creditsEvents,
  ...goldEvents,
  ...userFlairEvents,
  ...linkFlairEvents,
  ...subsiteFlairEvents,
] as const

export type DomainEvent = OneOf<typeof definitions>
export type EventName = DomainEvent['type']
export type EventNamed<Name extends EventName> = Extract<DomainEvent, { readonly type: Name }>
/** A domain event as it is in the log: of one name, or of any. */
export type Logged<Name extends EventName = EventName> = { [N in Name]: Envelope<EventNamed<N>> }[Name]
/** A domain event that was read from the log or just appended. If it was just appended, its own position is unknown. */
export type Stored<Name extends EventName = EventName> = { [N in Name]: Envelope<EventNamed<N>> | AppendedEnvelope<EventNamed<N>> }[Name]

/** The definitions by stored name. */
export const eventDefinitions: ReadonlyMap<string, EventDefinition> = new Map(
  definitions.map((definition) => [definition.type, definition as unknown as EventDefinition]),
)
