import { accountLife } from './account-life.ts'
import { audiences } from './audiences.ts'
import { bans } from './bans.ts'
import { claims } from './claims.ts'
import { erasures } from './erasures.ts'
import { gold } from './gold.ts'
import { images } from './images.ts'
import { inboxes } from './inboxes.ts'
import { moderationMessages } from './moderation-messages.ts'
import { multis } from './multis.ts'
import type { Reactions } from './reaction.ts'
import { stickies } from './stickies.ts'
import { stickyComments } from './sticky-comments.ts'
import { storedResponses } from './stored-responses.ts'

/** All reactions. An event with several kinds of consequences has them in this order. */
export const allReactions: readonly Reactions[] = [
  claims,
  accountLife,
  audiences,
  erasures,
  images,
  stickies,
  stickyComments,
  inboxes,
  bans,
  storedResponses,
  multis,
  moderationMessages,
  gold,
]
