import type { Wire } from '../page.ts'
import type { Rows } from '../parts/plot.ts'
import { DAY_MS, date } from '../parts/time.ts'
import type { Day } from '../subsites/traffic.ts'

/* The questions of docs/history.md that the traffic, the moderation log and the newest posts and comments of a subsite answer. */

/** A post or a comment. */
type Written = Pick<Wire<'Link'>, 'author' | 'created_utc'>
type Entry = Pick<Wire<'ModAction'>, 'action' | 'mod' | 'created_utc' | 'details' | 'target_fullname'>

const WEEK_MS = 7 * DAY_MS
/** The first Monday of 1970: weeks are counted from there. */
const FIRST_MONDAY_MS = 4 * DAY_MS
const MAX_WEEKS = 104
const FORTNIGHT_MS = 2 * WEEK_MS
const FORTNIGHTS_AROUND = 5
const MAX_MODERATORS = 12

const weekOf = (ms: number): number => Math.floor((ms - FIRST_MONDAY_MS) / WEEK_MS)
const mondayOf = (week: number): string => date((FIRST_MONDAY_MS + week * WEEK_MS) / 1000)

/** Returns the weeks from the first day to the last one, quiet ones included, each with the sums of its days. */
export const growthByWeek = (days: readonly Day[]): Rows => {
  const weeks = Map.groupBy(days, ({ day }) => weekOf(Date.parse(day)))
  if (weeks.size === 0) return []
  const last = Math.max(...weeks.keys())
  const first = Math.max(Math.min(...weeks.keys()), last - MAX_WEEKS + 1)
  return Array.from({ length: last - first + 1 }, (_, at) => {
    const ofWeek = weeks.get(first + at) ?? []
    const sum = (name: 'posts' | 'comments' | 'votes' | 'removals') => ofWeek.reduce((total, day) => total + day[name], 0)
    return { week: mondayOf(first + at), posts: sum('posts'), comments: sum('comments'), votes: sum('votes'), removals: sum('removals') }
  })
}

const isRemoval = ({ action, details }: Entry): boolean => /^remove(?:link|comment)$/.test(action) && details !== 'erase'
const isApproval = ({ action }: Entry): boolean => /^approve(?:link|comment)$/.test(action)
const isSpam = ({ details }: Entry): boolean => details === 'spam' || details === 'confirm_spam'

/** Counts what is removed as spam, and otherwise, by the kind of thing. */
export const removalsByKind = (entries: readonly Entry[]): Rows => {
  const removals = entries.filter(isRemoval)
  if (removals.length === 0) return []
  return ['link', 'comment'].map((kind) => {
    const ofKind = removals.filter(({ action }) => action === `remove${kind}`)
    const asSpam = ofKind.filter(isSpam).length
    return { removed: `${kind}s`, as_spam: asSpam, otherwise: ofKind.length - asSpam }
  })
}

/** Counts for each moderator the removals, and those of them that the next verdict on the thing undid. Entries come newest first. */
export const agreementOfModerators = (entries: readonly Entry[]): Rows => {
  const rows = new Map<string, { moderator: string; removals: number; taken_back: number; undone_by_another: number }>()
  const standing = new Map<string, Entry>()
  for (const entry of entries.toReversed()) {
    const thing = entry.target_fullname ?? ''
    const before = standing.get(thing)
    if (isRemoval(entry)) {
      const row = rows.get(entry.mod) ?? { moderator: entry.mod, removals: 0, taken_back: 0, undone_by_another: 0 }
      rows.set(entry.mod, { ...row, removals: row.removals + 1 })
      standing.set(thing, entry)
    } else if (isApproval(entry) && before) {
      standing.delete(thing)
      const row = rows.get(before.mod)
      const undone = before.mod === entry.mod ? 'taken_back' : 'undone_by_another'
      if (row) rows.set(before.mod, { ...row, [undone]: row[undone] + 1 })
    }
  }
  return [...rows.values()]
    .toSorted((one, other) => other.removals - one.removals || (one.moderator < other.moderator ? -1 : 1))
    .slice(0, MAX_MODERATORS)
}

const hourOf = ({ created_utc }: { readonly created_utc: number }): number => new Date(created_utc * 1000).getUTCHours()

/** Counts the acts of moderators, posts and comments by the hour of the day, in UTC. */
export const actsByHour = (entries: readonly Entry[], posts: readonly Written[], comments: readonly Written[]): Rows => {
  if (entries.length + posts.length + comments.length === 0) return []
  const count = (hour: number, things: readonly { readonly created_utc: number }[]) =>
    things.filter((thing) => hourOf(thing) === hour).length
  return Array.from({ length: 24 }, (_, hour) => ({
    hour,
    posts: count(hour, posts),
    comments: count(hour, comments),
    acts_of_moderators: count(hour, entries),
  }))
}

/** Returns the percent of posts and of comments that the most active tenth of their authors wrote. Deleted accounts count for nobody. */
export const concentrationOfActivity = (posts: readonly Written[], comments: readonly Written[]): Rows =>
  Object.entries({ posts, comments }).flatMap(([written, things]) => {
    const counts = [...Map.groupBy(things, ({ author }) => author)].flatMap(([author, { length }]) =>
      author === '[deleted]' ? [] : [length],
    )
    const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
    const top = counts.toSorted((one, other) => other - one).slice(0, Math.ceil(counts.length / 10))
    return counts.length === 0 ? [] : [{ written, percent_by_top_tenth: Math.round((1000 * sum(top)) / sum(counts)) / 10 }]
  })

/** A rule with what was posted and removed around its day, by fortnights; the one that begins on that day is 0. */
export type AroundRule = { readonly name: string; readonly day: string; readonly rows: Rows }

/** Returns what the newest rule changed; undefined where no rule was made. */
export const aroundNewestRule = (entries: readonly Entry[], days: readonly Day[]): AroundRule | undefined => {
  const rule = entries.find(({ action }) => action === 'createrule')
  if (rule === undefined) return undefined
  const day = date(rule.created_utc)
  const fortnights = Map.groupBy(days, (one) => Math.floor((Date.parse(one.day) - Date.parse(day)) / FORTNIGHT_MS))
  const rows = Array.from({ length: 2 * FORTNIGHTS_AROUND }, (_, at) => {
    const fortnight = at - FORTNIGHTS_AROUND
    const ofFortnight = fortnights.get(fortnight) ?? []
    const sum = (name: 'posts' | 'comments' | 'removals') => ofFortnight.reduce((total, one) => total + one[name], 0)
    return { fortnight, posts: sum('posts'), comments: sum('comments'), removals: sum('removals') }
  })
  return { name: rule.details ?? '', day, rows }
}
