import { faker as random } from '@faker-js/faker'
import * as E from 'fp-ts/lib/Either.js'
import { v5 } from 'uuid'
import type { Stamped } from '../bench/log-shape.ts'
import { streamOf } from '../src/audit/rules/streams.ts'
import { AccountRegistered, UsernameClaimed } from '../src/domain/account.ts'
import { CommentPosted } from '../src/domain/comment.ts'
import type { Actor, AnyEvent } from '../src/domain/event.ts'
import { type DomainEvent, eventDefinitions } from '../src/domain/events.ts'
import { fullname, ID_EPOCH_MS, type ThingKind } from '../src/domain/ids.ts'
import { LinkApproved, LinkLocked, LinkRemoved, LinkSubmitted } from '../src/domain/link.ts'
import { ModeratorAdded, ModeratorInvitationAccepted, ModeratorInvited } from '../src/domain/moderators.ts'
import { RuleCreated } from '../src/domain/rules.ts'
import { Subscribed } from '../src/domain/subscription.ts'
import { SubsiteCreated, SubsiteNameClaimed } from '../src/domain/subsite.ts'
import { defaultSettings } from '../src/domain/subsite-settings.ts'
import { excerptOf } from '../src/domain/target.ts'
import { castVote, type Vote } from '../src/domain/vote.ts'
import { type Community, type LinkPlan, plan } from './community.ts'

/*
 * The community of the demo with half a year behind it: the same people, links, comments and votes, but each at a time when it would have
 * happened. The demo itself acts through the service, which stamps everything with the present.
 */

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** A Monday. */
const BEGIN_MS = Date.UTC(2026, 0, 5)
const PAST_MS = 26 * 7 * DAY
/** When the largest subsite gets its rule. */
const RULE_AT = BEGIN_MS + 16 * 7 * DAY

/** An event, with the account that acts and its capacity. */
type Attributed = readonly [account: string, as: Actor['as'], event: AnyEvent]

/** The moment at which an act runs. `mint` makes an id of that time. */
type Moment = { readonly at: number; readonly mint: (kind: ThingKind) => string }

/** Acts are planned in any order, and run in the order of their times. `order` decides among acts of one time. */
type Act = { readonly at: number; readonly order: number; readonly run: (moment: Moment) => readonly Attributed[] }

type Thing = { readonly id: string; readonly link: string; readonly author: string; readonly created: number }

/** The draws of a past. Another order of draws makes another past. */
const openDraws = (seed: number) => {
  random.seed(seed)
  const chance = (probability: number) => random.number.float() < probability
  return {
    chance,
    /** Draws a time to wait: mostly short, now and then much longer than the mean. */
    delay: (mean: number) => Math.round(-Math.log(1 - random.number.float()) * mean),
    /** Draws a time of the day: in the morning or, more often, in the evening. */
    timeOfDay: () => Math.round((chance(0.35) ? 8 : 18) * HOUR + random.number.float() ** 0.7 * 4 * HOUR),
    element: <T>(elements: readonly T[]): T => random.helpers.arrayElement(elements),
    index: (count: number) => random.number.int(count - 1),
  }
}
type Draws = ReturnType<typeof openDraws>

/** Returns a past in which nothing is planned. Accounts, subsites, locks and votes are there once the acts that make them ran. */
const openPast = (community: Community, draws: Draws) => {
  const acts: Act[] = []
  const accounts: string[] = []
  const subsites: string[] = []
  return {
    ...{ community, draws, acts, accounts, subsites },
    locked: new Set<string>(),
    votes: new Map<string, Vote>(),
    planAct: (at: number, run: Act['run']) => acts.push({ at, order: acts.length, run }),
    accountOf: (person: number) => accounts[person % community.people.length] ?? '',
    subsiteAt: (index: number) => subsites[index] ?? '',
  }
}
type Past = ReturnType<typeof openPast>

const join = ({ planAct, accounts, community }: Past, time: number, person: number) =>
  planAct(time, ({ mint }) => {
    const id = mint('account')
    accounts[person] = id
    const named = { account: id, name: community.people[person] ?? '' }
    return [
      [id, 'user', UsernameClaimed(named)],
      [id, 'user', AccountRegistered(named)],
    ]
  })

const subscribe = ({ planAct, accountOf, subsiteAt }: Past, time: number, person: number, index: number) =>
  planAct(time, () => [[accountOf(person), 'user', Subscribed({ account: accountOf(person), subsite: subsiteAt(index) })]])

const foundSubsite = ({ planAct, accountOf, subsites, community }: Past, time: number, index: number) => {
  const planned = community.subsites[index]
  if (!planned) return
  planAct(time, ({ mint }) => {
    const subsite = mint('subsite')
    subsites[index] = subsite
    const creator = accountOf(planned.founder)
    const settings = { ...defaultSettings, title: planned.title, public_description: planned.description, type: 'public' as const }
    const founded = { subsite, name: planned.name, creator, settings }
    return [
      [creator, 'user', SubsiteNameClaimed(founded)],
      [creator, 'user', SubsiteCreated(founded)],
      [creator, 'user', ModeratorAdded({ subsite, account: creator, permissions: '+all', founder: true })],
      ...planned.invited.flatMap((person) => {
        const invited = { subsite, account: accountOf(person), permissions: '+posts,+access' }
        return [
          [creator, 'moderator', ModeratorInvited(invited)] as const,
          [accountOf(person), 'user', ModeratorInvitationAccepted(invited)] as const,
        ]
      }),
    ]
  })
}

/** Plans a link, which becomes the first of its things. */
const postLink = (
  { planAct, accountOf, subsiteAt }: Past,
  time: number,
  { subsite, author, title, url, text }: LinkPlan,
  things: Thing[],
) =>
  planAct(time, ({ at, mint }) => {
    const id = mint('link')
    things[0] = { id, link: id, author: accountOf(author), created: at }
    const body = url === undefined ? { text: text ?? '' } : { url }
    const where = { link: id, subsite: subsiteAt(subsite), author: accountOf(author), title }
    return [[accountOf(author), 'user', LinkSubmitted({ ...where, ...body, over18: false, sendReplies: true, filtered: false })]]
  })

/** Plans the comments on a link, which become the things after it. Returns the times of all things. */
const postComments = (past: Past, time: number, { subsite, author, comments }: LinkPlan, things: Thing[]): readonly number[] => {
  const { planAct, accountOf, subsiteAt, locked, draws } = past
  const times = [time]
  for (const [index, { author: writer, parent, text: body }] of comments.entries()) {
    const commentedAt = (times[(parent ?? -1) + 1] ?? time) + draws.delay(9 * HOUR) + 60_000
    times[index + 1] = commentedAt
    planAct(commentedAt, ({ at, mint }) => {
      const link = things[0]?.id ?? ''
      const above = parent === undefined ? undefined : things[parent + 1]
      // nobody comments on a locked link, nor replies to what was not said there
      if (locked.has(link) || (parent !== undefined && above === undefined)) return []
      const id = mint('comment')
      things[index + 1] = { id, link, author: accountOf(writer), created: at }
      const to = above?.author ?? accountOf(author)
      const reason = above ? ('comment_reply' as const) : ('post_reply' as const)
      const where = { comment: id, link, subsite: subsiteAt(subsite), author: accountOf(writer), linkAuthor: accountOf(author) }
      const notified = to === accountOf(writer) ? [] : [{ account: to, reason }]
      return [[accountOf(writer), 'user', CommentPosted({ ...where, parent: above?.id ?? null, body, filtered: false, notified })]]
    })
  }
  return times
}

/** Returns the events of a vote: none if the voter may not cast it, or has cast it before. */
const voteOn = ({ votes }: Past, voter: string, subsite: string, thing: Thing, dir: 1 | -1 | 11, at: number): readonly Attributed[] => {
  const key = `${voter}.${thing.id}`
  const cast = castVote({ ...thing, subsite, deleted: false }, { voter, at }, dir)(votes.get(key))
  if (E.isLeft(cast)) return []
  return cast.right.map((event) => {
    votes.set(key, (event.data as { readonly after: Vote }).after)
    return [voter, 'user', event] as const
  })
}

/** Plans the votes on a link and its comments, each some time after the thing. */
const castVotes = (past: Past, times: readonly number[], { subsite, votes }: LinkPlan, things: readonly Thing[]) => {
  for (const { voter, dir, comment } of votes) {
    const index = comment === undefined ? 0 : comment + 1
    past.planAct((times[index] ?? times[0] ?? 0) + past.draws.delay(11 * HOUR) + 1_000, ({ at }) => {
      const thing = things[index]
      return thing ? voteOn(past, past.accountOf(voter), past.subsiteAt(subsite), thing, Number(dir) as 1 | -1 | 11, at) : []
    })
  }
}

const drawModerator = ({ draws, community }: Past, index: number): number =>
  draws.element([community.subsites[index]?.founder ?? 0, ...(community.subsites[index]?.invited ?? [])])

/** Plans what moderators do with a link. In the largest subsite, more texts are removed once its rule forbids them. */
const moderate = (past: Past, time: number, { subsite, title, text, author, url, act }: LinkPlan, things: readonly Thing[]) => {
  const { planAct, accountOf, subsiteAt, locked } = past
  const { chance, delay } = past.draws
  const link = () => things[0]?.id ?? ''
  const about = () => ({
    subsite: subsiteAt(subsite),
    target: { id: link(), author: accountOf(author), title, excerpt: excerptOf(text ?? '') },
  })
  const [first, second] = [drawModerator(past, subsite), drawModerator(past, subsite)]
  const breaksRule = subsite === 0 && url === undefined && time > RULE_AT && chance(0.45)
  const isRemoved = breaksRule || act === 'remove' || act === 'spam' || act === 'remove and approve' || chance(0.05)
  if (act === 'lock')
    planAct(time + delay(12 * HOUR), () => {
      locked.add(link())
      return [[accountOf(first), 'moderator', LinkLocked(about())]]
    })
  if (!isRemoved) return
  const spam = act === 'spam'
  const removedAt = time + delay(spam ? HOUR : 7 * HOUR)
  planAct(removedAt, () => [[accountOf(first), 'moderator', LinkRemoved({ ...about(), spam, before: false })]])
  if (act === 'remove and approve' || (!spam && chance(0.25)))
    planAct(removedAt + delay(10 * HOUR), () => [[accountOf(second), 'moderator', LinkApproved({ ...about(), before: true })]])
}

/** Plans a link and what becomes of it. */
const post = (past: Past, time: number, planned: LinkPlan) => {
  /** The link, and at `n + 1` its comment `n`, from when their acts ran. */
  const things: Thing[] = []
  postLink(past, time, planned, things)
  const times = postComments(past, time, planned, things)
  castVotes(past, times, planned, things)
  moderate(past, time, planned, things)
}

/** Draws the times of links, in their order: ever more from week to week. */
const postingTimes = ({ timeOfDay }: Draws, links: number, start: number): readonly number[] =>
  Array.from({ length: links }, (_, index) => {
    const time = start + (PAST_MS - (start - BEGIN_MS) - 3 * DAY) * ((index + 0.5) / links) ** 0.6
    return Math.max(start, Math.floor(time / DAY) * DAY + timeOfDay())
  }).toSorted((a, b) => a - b)

/** Plans the first people and all subsites. Returns the time after them. */
const begin = (past: Past): number => {
  const { community } = past
  const first = community.joined(0)
  for (let person = 0; person < first; person++) join(past, BEGIN_MS + person * 2 * HOUR, person)
  const opened = BEGIN_MS + first * 2 * HOUR
  for (const index of community.subsites.keys()) foundSubsite(past, opened + index * HOUR, index)
  return opened + community.subsites.length * HOUR
}

/** Plans the links at their times, and before each the people who have joined by then. */
const joinAndPost = (past: Past, times: readonly number[]) => {
  const { community, draws } = past
  let joined = community.joined(0)
  for (const [index, time] of times.entries()) {
    for (; joined < community.joined(index); joined++) {
      join(past, time - HOUR, joined)
      subscribe(past, time - HOUR / 2, joined, draws.index(community.subsites.length))
    }
    post(past, time, community.link(index))
  }
}

const createRule = ({ planAct, accountOf, subsiteAt, community }: Past) => {
  const rule = { name: 'Links only', description: 'Post a link to a source, not a text.', kind: 'link' } as const
  const founder = community.subsites[0]?.founder ?? 0
  planAct(RULE_AT, () => [[accountOf(founder), 'moderator', RuleCreated({ subsite: subsiteAt(0), ...rule })]])
}

/** Makes ids that grow, also among those of one time. */
const openMint = () => {
  let last = 0
  return (kind: ThingKind, at: number): string => {
    last = Math.max(last + 1, (at - ID_EPOCH_MS) * 4096)
    return fullname(kind, last)
  }
}

/** Runs acts in the order of their times, and stamps their events as a log would. */
const stampActs = (acts: readonly Act[]): readonly Stamped[] => {
  const mintAt = openMint()
  const revisions = new Map<string, number>()
  return acts
    .filter(({ at }) => at < BEGIN_MS + PAST_MS)
    .toSorted((a, b) => a.at - b.at || a.order - b.order)
    .flatMap(({ at, run }, index) => {
      const commandId = v5(String(index + 1), '00000000-0000-5000-8000-000000000000')
      return run({ at, mint: (kind) => mintAt(kind, at) }).map(([by, as, event]) => {
        const stream = streamOf(event as DomainEvent)
        const revision = (revisions.get(stream) ?? -1) + 1
        revisions.set(stream, revision)
        const id = v5(`${stream}@${revision}`, commandId)
        const schema = (eventDefinitions.get(event.type)?.upcasts.length ?? 0) + 1
        const meta = { commandId, correlationId: commandId, causationId: commandId, schema, seen: {} }
        return { ...event, id, stream, revision, at, by: { account: by, as }, meta } as unknown as Stamped
      })
    })
}

/** Makes the log of such a community, in its order; the same for the same numbers. */
export const pastOf = ({ links, seed }: { readonly links: number; readonly seed: number }): readonly Stamped[] => {
  const past = openPast(plan({ links, seed }), openDraws(seed))
  const start = begin(past)
  joinAndPost(past, postingTimes(past.draws, links, start))
  createRule(past)
  return stampActs(past.acts)
}
