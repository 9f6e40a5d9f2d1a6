import { type LoggedEvent, loggedFrom } from '../logged-events.ts'
import { onAudiences } from './audiences.ts'
import { beforeErasure, onErasure } from './erasure.ts'
import { onThingErasure } from './thing-erasure.ts'

/**
 * Every event there is, in one consistent history: the example history is continued until each has happened, and things are
 * in every state they can be in.
 */
export const everyTold: readonly LoggedEvent[] = [...beforeErasure, ...onErasure, ...onThingErasure, ...onAudiences]
export const everyEvent = loggedFrom(everyTold)
