import type { EventName, Logged } from '../../domain/events.ts'
import { figuresEntry } from './figures.ts'
import { partNumber } from './parts.ts'
import type { LedgerRules } from './rule.ts'

// The activity in each subsite, by the day in UTC, and of votes by the partition of their thing.

type Day = {
  readonly id: string
  readonly subsite: string
  readonly day: string
  readonly posts: number
  readonly comments: number
  readonly votes: number
  readonly removals: number
  readonly subscribed: number
  readonly unsubscribed: number
}

const MS_PER_DAY = 86_400_000
const twoDigits = (value: number): string => String(value).padStart(2, '0')
const dayOf = (at: number): string => {
  const start = new Date(Math.floor(at / MS_PER_DAY) * MS_PER_DAY)
  return `${start.getUTCFullYear()}-${twoDigits(start.getUTCMonth() + 1)}-${twoDigits(start.getUTCDate())}`
}

const counted: { readonly [Name in EventName]?: Partial<Day> } = {
  LinkSubmitted: { posts: 1 },
  CommentPosted: { comments: 1 },
  VoteCast: { votes: 1 },
  LinkRemoved: { removals: 1 },
  CommentRemoved: { removals: 1 },
  Subscribed: { subscribed: 1 },
  Unsubscribed: { unsubscribed: 1 },
}

const sum = (one: number | undefined, other = 0): number => (one ?? 0) + other

const count = ({ type, at, data }: Logged) => {
  const { subsite, thing } = data as { readonly subsite: string; readonly thing?: string }
  const day = dayOf(at)
  const id = `${subsite}.${day}#${type === 'VoteCast' ? partNumber(thing ?? '') : 0}`
  const more = counted[type] ?? {}
  return [
    figuresEntry<Day>('traffic', id, (row) => ({
      id,
      subsite,
      day,
      posts: sum(row?.posts, more.posts),
      comments: sum(row?.comments, more.comments),
      votes: sum(row?.votes, more.votes),
      removals: sum(row?.removals, more.removals),
      subscribed: sum(row?.subscribed, more.subscribed),
      unsubscribed: sum(row?.unsubscribed, more.unsubscribed),
    })),
  ]
}

export const trafficRules: LedgerRules = Object.fromEntries(Object.keys(counted).map((type) => [type, count]))
