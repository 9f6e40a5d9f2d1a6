import { isDeepStrictEqual } from 'node:util'
import type { RestrictionType } from '../../domain/relation-types.ts'
import { type Entry, shortened } from '../ledger.ts'
import { entry, type Note, type Rules } from './rule.ts'

// What events of moderation say was there before them is what earlier events made. Earlier versions recorded less of it.

const ERASED = '[erased]'

/** Whether both are the same, as far as they can be read: a text whose key was destroyed meanwhile is only in one of them. */
const agree = (a: unknown, b: unknown): boolean => {
  if (a === ERASED || b === ERASED) return typeof a === typeof b
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return isDeepStrictEqual(a, b)
  const [left, right] = [a, b] as [Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>]
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].every((name) => agree(left[name], right[name]))
}

/** `said`: what the event records as the former state; undefined: nothing. `leaves`: the state after it; undefined: none. */
const follow = <State>(id: string, said: unknown, leaves: (state: State | undefined) => unknown, note: Note, initial?: State): Entry =>
  entry<{ readonly state: State }>('audit_former', id, (row) => {
    const state = row?.state ?? initial
    if (said !== undefined && !agree(shortened(said), state))
      note('what it records as the former state differs from what earlier events made')
    const left = leaves(state)
    return left === undefined ? undefined : { state: shortened(left) as State }
  })

type Pair = { readonly subsite: string; readonly account: string }
type Event<Data> = { readonly data: Data & Pair & { readonly before?: unknown }; readonly by: { readonly account: string | null } }

const annotation = ({ data: { note }, by: { account } }: Event<{ readonly note?: string }>) =>
  note === undefined ? {} : { note, ...(account !== null && { noteBy: account }) }

const restriction = (type: RestrictionType) => {
  const idOf = ({ subsite, account }: Pair) => `${subsite}.${account}.${type}`
  return {
    imposed: (event: Event<{ readonly until: number | null; readonly note?: string }>, note: Note) => {
      const { data, by } = event
      return [follow(idOf(data), data.before, () => ({ until: data.until, by: by.account, ...annotation(event) }), note)]
    },
    noted: (event: Event<{ readonly note?: string }>, note: Note) => {
      const renoted = (state?: { readonly until: number | null; readonly by: string | null }) =>
        state && { until: state.until, by: state.by, ...annotation(event) }
      return [follow(idOf(event.data), event.data.before, renoted, note)]
    },
    ended: ({ data }: Event<object>, note: Note) => [follow(idOf(data), data.before, () => undefined, note)],
  }
}
const ban = restriction('banned')
const wikiBan = restriction('wikibanned')
const mute = restriction('muted')

export const formerRules: Rules = {
  UserBanned: ban.imposed,
  BanChanged: ban.imposed,
  BanNoteChanged: ban.noted,
  UserUnbanned: ban.ended,
  BanExpired: ban.ended,
  UserWikiBanned: wikiBan.imposed,
  WikiBanChanged: wikiBan.imposed,
  WikiBanNoteChanged: wikiBan.noted,
  UserWikiUnbanned: wikiBan.ended,
  WikiBanExpired: wikiBan.ended,
  UserMuted: mute.imposed,
  MuteNoteChanged: mute.noted,
  UserUnmuted: mute.ended,
  MuteExpired: mute.ended,
}
