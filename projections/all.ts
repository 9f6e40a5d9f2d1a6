import { accountsProjection } from './accounts.ts'
import { appearancesProjection } from './appearances.ts'
import { commentsProjection } from './comments.ts'
import type { Projection } from './engine/projection.ts'
import { flairsProjection } from './flairs.ts'
import { contactsProjection } from './friends-and-blocks.ts'
import { gildingsProjection } from './gildings.ts'
import { inboxProjection } from './inbox.ts'
import { karmaProjection } from './karma.ts'
import { linksProjection } from './links.ts'
import { messagesProjection } from './messages.ts'
import { modLogProjection } from './mod-log.ts'
import { modQueuesProjection } from './mod-queues.ts'
import { multisProjection } from './multis.ts'
import { mutesAndBlocksProjection } from './mutes-and-blocks.ts'
import { participationProjection } from './participation.ts'
import { preferencesProjection } from './preferences.ts'
import { recentSubscriptionsProjection } from './recent-subscriptions.ts'
import { relationsProjection } from './relations.ts'
import { shelvesProjection } from './shelves.ts'
import { siteLogProjection } from './site-log.ts'
import { snapshotsProjection } from './snapshots.ts'
import { stickiesProjection } from './stickies.ts'
import { subscriptionsProjection } from './subscriptions.ts'
import { subsitesProjection } from './subsites.ts'
import { textPlacesProjection } from './text-places.ts'
import { thingEventsProjection } from './thing-events.ts'
import { timersProjection } from './timers.ts'
import { trafficProjection } from './traffic.ts'
import { votesProjection } from './votes.ts'
import { wikiPagesProjection } from './wiki-pages.ts'
import { wikiRevisionsProjection } from './wiki-revisions.ts'

const all = [
  accountsProjection,
  appearancesProjection,
  mutesAndBlocksProjection,
  commentsProjection,
  contactsProjection,
  gildingsProjection,
  flairsProjection,
  inboxProjection,
  karmaProjection,
  linksProjection,
  messagesProjection,
  modLogProjection,
  siteLogProjection,
  modQueuesProjection,
  multisProjection,
  participationProjection,
  preferencesProjection,
  relationsProjection,
  shelvesProjection,
  snapshotsProjection,
  stickiesProjection,
  subscriptionsProjection,
  subsitesProjection,
  recentSubscriptionsProjection,
  textPlacesProjection,
  thingEventsProjection,
  timersProjection,
  trafficProjection,
  votesProjection,
  wikiPagesProjection,
  wikiRevisionsProjection,
] as const

/** Every read model. Each reducer gets only documents of its own collection, so their types can be erased. */
export const projections = all as readonly unknown[] as readonly Projection[]
