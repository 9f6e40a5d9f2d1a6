import { loggedFrom } from '../logged-events.ts'
import { beforeErasure, onErasure } from './erasure.ts'

/**
 * Every event there is, in a history that is consistent in itself: the example history goes on until each has happened, and things are
 * in every state they can be in.
 */
export const everyEvent = loggedFrom([...beforeErasure, ...onErasure])
