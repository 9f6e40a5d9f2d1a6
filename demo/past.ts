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
import { type LinkPlan, plan } from './community.ts'

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

type Act = {
  readonly at: number
  readonly order: number
  readonly run: () => readonly (readonly [account: string, as: Actor['as'], event: AnyEvent])[]
}

/** Makes the log of such a community, in its order; the same for the same numbers. */
export const pastOf = ({ links, seed }: { readonly links: number; readonly seed: number }): readonly Stamped[] => {
  const community = plan({ links, seed })
  const draw = random
  draw.seed(seed)
  const chance = (probability: number) => draw.number.float() < probability
  /** Draws a time to wait: mostly short, now and then much longer than the mean. */
  const delay = (mean: number) => Math.round(-Math.log(1 - draw.number.float()) * mean)
  /** Draws a time of the day: in the morning or, more often, in the evening. */
  const timeOfDay = () => Math.round((chance(0.35) ? 8 : 18) * HOUR + draw.number.float() ** 0.7 * 4 * HOUR)

  const acts: Act[] = []
  const act = (at: number, run: Act['run']) => acts.push({ at, order: acts.length, run })
  let at = BEGIN_MS
  let serial = 0
  let lastMint = 0
  const mint = (kind: ThingKind): string => {
    lastMint = Math.max(lastMint + 1, (at - ID_EPOCH_MS) * 4096)
    return fullname(kind, lastMint)
  }

  const accounts: string[] = []
  const subsites: string[] = []
  const account = (person: number) => accounts[person % community.people.length] ?? ''
  const join = (time: number, person: number) =>
    act(time, () => {
      const id = mint('account')
      accounts[person] = id
      const named = { account: id, name: community.people[person] ?? '' }
      return [
        [id, 'user', UsernameClaimed(named)],
        [id, 'user', AccountRegistered(named)],
      ]
    })

  const subscribe = (time: number, person: number, place: number) =>
    act(time, () => [[account(person), 'user', Subscribed({ account: account(person), subsite: subsites[place] ?? '' })]])

  const found = (time: number, index: number) => {
    const place = community.subsites[index]
    if (!place) return
    act(time, () => {
      const subsite = mint('subsite')
      subsites[index] = subsite
      const creator = account(place.founder)
      const settings = { ...defaultSettings, title: place.title, public_description: place.description, type: 'public' as const }
      const founded = { subsite, name: place.name, creator, settings }
      const permissions = '+all'
      return [
        [creator, 'user', SubsiteNameClaimed(founded)],
        [creator, 'user', SubsiteCreated(founded)],
        [creator, 'user', ModeratorAdded({ subsite, account: creator, permissions, founder: true })],
        ...place.invited.flatMap((person) => {
          const invited = { subsite, account: account(person), permissions: '+posts,+access' }
          return [
            [creator, 'moderator', ModeratorInvited(invited)] as const,
            [account(person), 'user', ModeratorInvitationAccepted(invited)] as const,
          ]
        }),
      ]
    })
  }

  const locked = new Set<string>()
  const moderatorOf = (place: number): number =>
    draw.helpers.arrayElement([community.subsites[place]?.founder ?? 0, ...(community.subsites[place]?.invited ?? [])])

  const moderate = (time: number, { subsite: place, title, text, author, url, act: moderation }: LinkPlan, link: () => string) => {
    const about = () => ({
      subsite: subsites[place] ?? '',
      target: { id: link(), author: account(author), title, excerpt: excerptOf(text ?? '') },
    })
    const [first, second] = [moderatorOf(place), moderatorOf(place)]
    const broken = place === 0 && url === undefined && time > RULE_AT && chance(0.45)
    const removes = broken || moderation === 'remove' || moderation === 'spam' || moderation === 'remove and approve' || chance(0.05)
    if (moderation === 'lock')
      act(time + delay(12 * HOUR), () => {
        locked.add(link())
        return [[account(first), 'moderator', LinkLocked(about())]]
      })
    if (!removes) return
    const spam = moderation === 'spam'
    const removedAt = time + delay(spam ? HOUR : 7 * HOUR)
    act(removedAt, () => [[account(first), 'moderator', LinkRemoved({ ...about(), spam, before: false })]])
    if (moderation === 'remove and approve' || (!spam && chance(0.25)))
      act(removedAt + delay(10 * HOUR), () => [[account(second), 'moderator', LinkApproved({ ...about(), before: true })]])
  }

  const votes = new Map<string, Vote>()
  type Thing = { readonly id: string; readonly link: string; readonly author: string; readonly created: number }
  const vote = (voter: number, subsite: string, thing: Thing, dir: 1 | -1 | 11) => {
    const key = `${account(voter)}.${thing.id}`
    const cast = castVote({ ...thing, subsite, deleted: false }, { voter: account(voter), at }, dir)(votes.get(key))
    if (E.isLeft(cast)) return []
    return cast.right.map((event) => {
      votes.set(key, (event.data as { readonly after: Vote }).after)
      return [account(voter), 'user', event] as const
    })
  }

  const post = (time: number, planned: LinkPlan) => {
    const { subsite: place, author, title, url, text, comments } = planned
    const things: Thing[] = []
    const link = () => things[0]?.id ?? ''
    act(time, () => {
      const id = mint('link')
      things[0] = { id, link: id, author: account(author), created: at }
      const body = url === undefined ? { text: text ?? '' } : { url }
      const where = { link: id, subsite: subsites[place] ?? '', author: account(author), title }
      return [[account(author), 'user', LinkSubmitted({ ...where, ...body, over18: false, sendReplies: true, filtered: false })]]
    })
    const times = [time]
    for (const [index, { author: writer, parent, text: body }] of comments.entries()) {
      times[index + 1] = (times[(parent ?? -1) + 1] ?? time) + delay(9 * HOUR) + 60_000
      act(times[index + 1] ?? time, () => {
        const above = parent === undefined ? undefined : things[parent + 1]
        // nobody comments on a locked link, nor replies to what was not said there
        if (locked.has(link()) || (parent !== undefined && above === undefined)) return []
        const id = mint('comment')
        things[index + 1] = { id, link: link(), author: account(writer), created: at }
        const to = above?.author ?? account(author)
        const reason = above ? ('comment_reply' as const) : ('post_reply' as const)
        const where = { comment: id, link: link(), subsite: subsites[place] ?? '', author: account(writer), linkAuthor: account(author) }
        const notified = to === account(writer) ? [] : [{ account: to, reason }]
        return [[account(writer), 'user', CommentPosted({ ...where, parent: above?.id ?? null, body, filtered: false, notified })]]
      })
    }
    for (const { voter, dir, comment } of planned.votes) {
      const index = comment === undefined ? 0 : comment + 1
      act((times[index] ?? time) + delay(11 * HOUR) + 1_000, () => {
        const thing = things[index]
        return thing ? vote(voter, subsites[place] ?? '', thing, Number(dir) as 1 | -1 | 11) : []
      })
    }
    moderate(time, planned, link)
  }

  const first = community.joined(0)
  for (let person = 0; person < first; person++) join(BEGIN_MS + person * 2 * HOUR, person)
  const opened = BEGIN_MS + first * 2 * HOUR
  community.subsites.forEach((_, index) => {
    found(opened + index * HOUR, index)
  })
  const start = opened + community.subsites.length * HOUR
  // ever more links from week to week
  const posted = Array.from({ length: links }, (_, index) => {
    const time = start + (PAST_MS - (start - BEGIN_MS) - 3 * DAY) * ((index + 0.5) / links) ** 0.6
    return Math.max(start, Math.floor(time / DAY) * DAY + timeOfDay())
  }).toSorted((a, b) => a - b)
  let joined = first
  for (const [index, time] of posted.entries()) {
    for (; joined < community.joined(index); joined++) {
      join(time - HOUR, joined)
      subscribe(time - HOUR / 2, joined, draw.number.int(community.subsites.length - 1))
    }
    post(time, community.link(index))
  }
  const rule = { name: 'Links only', description: 'Post a link to a source, not a text.', kind: 'link' } as const
  act(RULE_AT, () => [[account(community.subsites[0]?.founder ?? 0), 'moderator', RuleCreated({ subsite: subsites[0] ?? '', ...rule })]])

  const revisions = new Map<string, number>()
  return acts
    .filter((one) => one.at < BEGIN_MS + PAST_MS)
    .toSorted((a, b) => a.at - b.at || a.order - b.order)
    .flatMap((one) => {
      at = one.at
      serial += 1
      const commandId = v5(String(serial), '00000000-0000-5000-8000-000000000000')
      return one.run().map(([by, as, event]) => {
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
