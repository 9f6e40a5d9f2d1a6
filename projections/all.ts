import { accountsProjection } from './accounts.ts'
import { commentsProjection } from './comments.ts'
import { contactsProjection } from './contacts.ts'
import type { Projection } from './engine/projection.ts'
import { inboxProjection } from './inbox.ts'
import { karmaProjection } from './karma.ts'
import { linksProjection } from './links.ts'
import { messagesProjection } from './messages.ts'
import { modLogProjection } from './mod-log.ts'
import { modQueuesProjection } from './mod-queues.ts'
import { participationProjection } from './participation.ts'
import { relationsProjection } from './relations.ts'
import { shelvesProjection } from './shelves.ts'
import { snapshotsProjection } from './snapshots.ts'
import { stickiesProjection } from './stickies.ts'
import { subscriptionsProjection } from './subscriptions.ts'
import { subsitesProjection } from './subsites.ts'
import { timersProjection } from './timers.ts'
import { votesProjection } from './votes.ts'

const all = [
  accountsProjection,
  commentsProjection,
  contactsProjection,
  inboxProjection,
  karmaProjection,
  linksProjection,
  messagesProjection,
  modLogProjection,
  modQueuesProjection,
  participationProjection,
  relationsProjection,
  shelvesProjection,
  snapshotsProjection,
  stickiesProjection,
  subscriptionsProjection,
  subsitesProjection,
  timersProjection,
  votesProjection,
] as const

/** Every read model. Each reducer is only ever given documents of its own collection, which is why their types may be forgotten. */
export const projections = all as readonly unknown[] as readonly Projection[]
