import * as t from 'io-ts'
import { base36 } from './base36.ts'

/** The thing types and their fullname prefixes. */
export const prefixes = { comment: 't1', account: 't2', award: 't3', subsite: 't4', link: 't5', message: 't6' } as const
export type ThingKind = keyof typeof prefixes

const kinds = new Map<string, ThingKind>(Object.entries(prefixes).map(([kind, prefix]) => [prefix, kind as ThingKind]))

/** The first millisecond that ids count from: 2026-01-01T00:00:00Z. */
export const ID_EPOCH_MS = Date.UTC(2026, 0, 1)

const pattern = /^(t[1-6])_([0-9a-z]{1,11})$/

const fullnameOf = (kind: ThingKind) => {
  const start = `${prefixes[kind]}_`
  const is = (u: unknown): u is string => typeof u === 'string' && u.startsWith(start) && pattern.test(u)
  const type = new t.Type<string, string, unknown>(`${kind} fullname`, is, (u, c) => (is(u) ? t.success(u) : t.failure(u, c)), t.identity)
  return Object.assign(type, { pattern: `^${start}[0-9a-z]{1,11}$` })
}

export const CommentId = fullnameOf('comment')
export const AccountId = fullnameOf('account')
export const SubsiteId = fullnameOf('subsite')
export const LinkId = fullnameOf('link')
export const MessageId = fullnameOf('message')
export const ThingId = t.union([LinkId, CommentId])
export type CommentId = string
export type AccountId = string
export type SubsiteId = string
export type LinkId = string
export type MessageId = string
/** A link or a comment: can be voted on, saved and moderated. */
export type ThingId = string

/** Returns the kind of a fullname; undefined if it is not one. */
export const kindOf = (fullname: string): ThingKind | undefined => kinds.get(pattern.exec(fullname)?.[1] ?? '')

const LINK = `${prefixes.link}_`

/** Tells whether a thing is a link. */
export const isLinkId = (thing: ThingId): boolean => thing.startsWith(LINK)

export const fullname = (kind: ThingKind, id: number): string => `${prefixes[kind]}_${base36(id)}`

/** These return the parts of a composite id, such as `<account>.<thing>`. */
export const firstPart = (id: string): string => id.slice(0, id.indexOf('.'))
export const secondPart = (id: string): string => id.slice(id.indexOf('.') + 1)

/** Returns the bare base-36 part of a fullname. */
export const id36 = (name: string): string => name.slice(name.indexOf('_') + 1)

/** Returns the 53-bit number of a fullname. Its order is the order of creation. */
export const numberOf = (name: string): number => Number.parseInt(id36(name), 36)

/** Returns the least number of an id that is minted at a time, in milliseconds since 1970, or later. */
export const idAt = (at: number): number => (at - ID_EPOCH_MS) * 4096

/** Returns the milliseconds since 1970 at which an id was minted. */
export const toMintTime = (id: number): number => Math.floor(id / 4096) + ID_EPOCH_MS
