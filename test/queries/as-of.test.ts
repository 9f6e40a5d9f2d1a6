import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import type { LinkDocument } from '../../projections/links.ts'
import { linksProjection } from '../../projections/links.ts'
import { relationsProjection } from '../../projections/relations.ts'
import { stickiesProjection } from '../../projections/stickies.ts'
import { subsitesProjection } from '../../projections/subsites.ts'
import type { Logged } from '../../src/domain/events.ts'
import type { Position } from '../../src/ports/event-store.ts'
import { linkAsOf, MAX_EVENTS_LOOKED_BACK, moderatorsAsOf, type ReadUntil, stickiesAsOf, subsiteAsOf } from '../../src/queries/as-of.ts'
import { everyEvent } from '../support/every-event/every-event.ts'
import { positionOf } from '../support/logged-events.ts'
import { project } from '../support/project.ts'
import fc from '../support/properties.ts'

const streams = Map.groupBy(everyEvent, ({ stream }) => stream)

/** In parts of three, as a store gives them in pages. */
const reading = (of: ReadonlyMap<string, readonly Logged[]>): ReadUntil =>
  async function* (stream, upTo) {
    const events = (of.get(stream) ?? []).filter(({ position }) => position <= upTo)
    for (let at = 0; at < events.length; at += 3) yield events.slice(at, at + 3)
  }
const at = (upTo: Position) => ({ readUntil: reading(streams), upTo })
const right = <T>(found: E.Either<unknown, T>): T => {
  if (E.isLeft(found)) throw new Error(String(found.left))
  return found.right
}

/** What a link’s own stream decides. */
const own = (link: LinkDocument | undefined) => {
  if (link === undefined) return undefined
  const { id, subsite, author, title, url, isSelf, text, over18, created, edited, locked, sendReplies, contestMode, suggestedSort } = link
  const { distinguished, removed, approved, deleted, listed } = link
  const flags = { over18, locked, sendReplies, contestMode, suggestedSort, distinguished, removed, approved, deleted, listed }
  return { id, subsite, author, title, url, isSelf, text, created, edited, ...flags }
}

/** The documents as all events up to a place make them. */
const replayed = (n: number) => {
  const events = everyEvent.slice(0, n)
  // erasures blank texts today, which is no matter of the place
  const unerased = events.filter(({ type }) => type !== 'AccountTextsErased')
  return {
    links: new Map(project(linksProjection, unerased).map((link) => [link.id, link])),
    subsites: new Map(project(subsitesProjection, events).map((subsite) => [subsite.id, subsite])),
    stickies: new Map(project(stickiesProjection, events).map(({ id, links }) => [id, links])),
    moderators: project(relationsProjection, events).filter(({ type }) => type === 'moderator'),
  }
}

const ids = (type: string, field: string) =>
  everyEvent.flatMap((event) => (event.type === type ? String((event.data as Readonly<Record<string, unknown>>)[field]) : []))
const links = ids('LinkSubmitted', 'link')
const subsites = ids('SubsiteCreated', 'subsite')

test('what a link, a subsite, its stickies and its moderators were after an event is what a replay of all events until then makes of them', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: everyEvent.length }), async (n) => {
      const whole = replayed(n)
      const then = at(positionOf(n))
      for (const id of links) t.deepEqual(own(right(await linkAsOf(then, id))), own(whole.links.get(id)), `${id} after ${n}`)
      for (const id of subsites) {
        const { subscribers: _, ...subsite } = right(await subsiteAsOf(then, id)) ?? { subscribers: 0 }
        const { subscribers: __, ...expected } = whole.subsites.get(id) ?? { subscribers: 0 }
        t.deepEqual(subsite, expected, `${id} after ${n}`)
        t.deepEqual(right(await stickiesAsOf(then, id)), whole.stickies.get(id) ?? [])
        const moderators = whole.moderators.filter((one) => one.subsite === id).toSorted((one, other) => one.revision - other.revision)
        t.deepEqual(right(await moderatorsAsOf(then, id)), moderators)
      }
    }),
    { numRuns: 40 },
  )
})

test('more events than one request reads are not read', async (t) => {
  const [first] = everyEvent.filter(({ type }) => type === 'LinkSubmitted')
  const [locked] = everyEvent.filter(({ type }) => type === 'LinkLocked')
  if (!first || !locked) throw new Error('no link is locked')
  const many = (count: number) => new Map([[`link-${links[0]}`, [first, ...Array.from({ length: count }, () => locked)]]])
  const looked = (count: number) => linkAsOf({ readUntil: reading(many(count)), upTo: positionOf(everyEvent.length) }, links[0] ?? '')
  t.true(E.isRight(await looked(MAX_EVENTS_LOOKED_BACK - 1)))
  t.deepEqual(await looked(MAX_EVENTS_LOOKED_BACK), E.left('too many events'))
})
