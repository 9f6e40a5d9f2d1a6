import type { Document } from '../src/ports/documents.ts'
import { collection, type Projection, put, remove, type Touch } from './engine/projection.ts'

/** Something that time will undo; a reaction records it when it is due. */
export type TimerDocument = Document & {
  readonly due: number
  readonly kind: 'ban'
  readonly subsite: string
  readonly account: string
  /** The event that set it. */
  readonly cause: string
}

export const timers = collection<TimerDocument>({ name: 'timers', version: 1, indexes: [{ fields: ['due', 'id'] }] })

type Pair = { readonly subsite: string; readonly account: string }

const banTimerId = ({ subsite, account }: Pair): string => `ban.${subsite}.${account}`

const ban = (cause: string, { subsite, account, until }: Pair & { readonly until: number | null }): Touch<TimerDocument> => {
  const id = banTimerId({ subsite, account })
  return until === null ? remove(id) : put({ id, due: until, kind: 'ban', subsite, account, cause })
}

export const timersProjection: Projection<TimerDocument> = {
  collection: timers,
  on: {
    UserBanned: ({ id, data }) => [ban(id, data)],
    BanChanged: ({ id, data }) => [ban(id, data)],
    UserUnbanned: ({ data }) => [remove(banTimerId(data))],
    BanExpired: ({ data }) => [remove(banTimerId(data))],
  },
}
