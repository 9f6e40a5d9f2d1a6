import test, { type ExecutionContext } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import type { Projection } from '../../projections/engine/projection.ts'
import { type LinkDocument, linksProjection } from '../../projections/links.ts'
import { type ModLogDocument, modLogProjection } from '../../projections/mod-log.ts'
import { relationsProjection } from '../../projections/relations.ts'
import { stickiesProjection } from '../../projections/stickies.ts'
import { subsitesProjection } from '../../projections/subsites.ts'
import { type WikiRevisionDocument, wikiRevisionsProjection } from '../../projections/wiki-revisions.ts'
import type { Logged } from '../../src/domain/events.ts'
import { SubsiteSettingChanged } from '../../src/domain/subsite.ts'
import { mirroredSettings, STYLESHEET_PAGE } from '../../src/domain/wiki-page-name.ts'
import type { DocumentChange, DocumentStore } from '../../src/ports/documents.ts'
import type { Position } from '../../src/ports/event-store.ts'
import { linkAsOf, MAX_EVENTS_LOOKED_BACK, moderatorsAsOf, type ReadUntil, stickiesAsOf, subsiteAsOf } from '../../src/queries/as-of.ts'
import { modLogEntries, modLogOf } from '../../src/queries/mod-log.ts'
import { walk } from '../../src/queries/ordered-source.ts'
import { revisionAsOf } from '../../src/queries/wiki.ts'
import { everyEvent, everyTold } from '../support/every-event/every-event.ts'
import { FULL } from '../support/full.ts'
import { inNameOf, type LoggedEvent, loggedFrom, positionOf } from '../support/logged-events.ts'
import { project } from '../support/project.ts'
import fc from '../support/properties.ts'
import { openFile } from '../support/read-models.ts'

/** In parts of three, as a store gives them in pages. */
const reading = (of: ReadonlyMap<string, readonly Logged[]>): ReadUntil =>
  async function* (stream, upTo) {
    const events = (of.get(stream) ?? []).filter(({ position }) => position <= upTo)
    for (let at = 0; at < events.length; at += 3) yield events.slice(at, at + 3)
  }
const right = <T>(found: E.Either<unknown, T>): T => {
  if (E.isLeft(found)) throw new Error(String(found.left))
  return found.right
}

/** Returns the fields that a link’s own stream decides. */
const own = (link: LinkDocument | undefined) => {
  if (link === undefined) return undefined
  const { id, subsite, author, title, url, isSelf, text, over18, created, edited, locked, sendReplies, contestMode, suggestedSort } = link
  const { distinguished, removed, approved, deleted, listed } = link
  const flags = { over18, locked, sendReplies, contestMode, suggestedSort, distinguished, removed, approved, deleted, listed }
  return { id, subsite, author, title, url, isSelf, text, created, edited, ...flags }
}

/** Later events that withhold texts of earlier ones from everybody. */
const redactions: ReadonlySet<string> = new Set(['AccountTextsErased', 'WikiRevisionErased', 'WikiRevisionHidden', 'WikiRevisionUnhidden'])

/** The documents as all events up to a place make them; `redacted`: with what is withheld today. */
const replayed = (history: readonly Logged[], n: number) => {
  const events = history.slice(0, n)
  const redacted = [...events, ...history.slice(n).filter(({ type }) => redactions.has(type))]
  // erasures blank texts of links today, which is no matter of the place
  const unerased = events.filter(({ type }) => type !== 'AccountTextsErased')
  return {
    links: new Map(project(linksProjection, unerased).map((link) => [link.id, link])),
    subsites: new Map(project(subsitesProjection, events).map((subsite) => [subsite.id, subsite])),
    stickies: new Map(project(stickiesProjection, events).map(({ id, links }) => [id, links])),
    moderators: project(relationsProjection, events).filter(({ type }) => type === 'moderator'),
    revisions: upTo(n, project(wikiRevisionsProjection, redacted)),
    entries: upTo(n, project(modLogProjection, redacted)),
  }
}
type Placed = { readonly position: Position; readonly id: string }
const latestFirst = (one: Placed, other: Placed): number =>
  one.position === other.position ? (one.id < other.id ? 1 : -1) : one.position < other.position ? 1 : -1

const upTo = <Document extends Placed>(n: number, documents: readonly Document[]): readonly Document[] =>
  documents.filter(({ position }) => position <= positionOf(n)).toSorted(latestFirst)

/** A store with the moderation log and the revisions of wikis as they are today. */
const today = async (t: ExecutionContext, history: readonly Logged[]) => {
  const { documents } = openFile(t).stores
  const changes = [modLogProjection, wikiRevisionsProjection].flatMap((projection) =>
    project<ModLogDocument | WikiRevisionDocument>(projection as never, history).map((document): DocumentChange => {
      const { collection } = projection as unknown as Projection
      return { collection, id: document.id, position: positionOf(history.length), document }
    }),
  )
  await documents.prepare([modLogProjection.collection, wikiRevisionsProjection.collection])
  await documents.write(changes, { name: 'today', from: undefined, to: positionOf(history.length) })
  return documents
}

/** All entries of a subsite's log up to a place. */
const logUntil = async (documents: DocumentStore, subsite: string, { position, at }: Logged) => {
  const filter = { subsites: [subsite], actions: undefined, actors: undefined, target: undefined, since: undefined, until: undefined }
  const { items } = await walk(modLogOf({ documents, freshness: {} }, { ...filter, upTo: { position, at } }), 1_000, undefined)
  return modLogEntries(documents, items)
}

/** Every kind except the foundation of subsites, which makes rules and images anew in a replay only. */
const repeatable = everyTold
  .filter(({ event }) => event.type !== 'SubsiteCreated')
  .map(({ by: actor, event }): LoggedEvent => ({ by: actor, event }))
const closing = ['public', 'private'].map((before) =>
  inNameOf('t2_carol')(
    SubsiteSettingChanged({ subsite: 't4_tea', setting: 'type', before, after: before === 'public' ? 'private' : 'public' } as never),
  ),
)
const withheld = repeatable.filter(({ event: { type } }) => redactions.has(type) || /Deleted$|Erased$|Removed$/.test(type))
/** Each kind of event as often as any other, deletions and erasures more often. */
const kinds = [...Map.groupBy(repeatable, ({ event }) => event.type).values(), withheld, withheld, withheld, closing]
/** Every event that there is, and then some again, in any order. */
const histories = fc
  .array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 300 })
  .map((picks) => [...everyTold, ...picks.flatMap(([kind, one]) => pick(pick(kinds, kind) ?? [], one) ?? [])])
  .map(loggedFrom)
const pick = <T>(list: readonly T[], n: number): T | undefined => list[n % list.length]

const valuesOf = (history: readonly Logged[], type: string, field: string) => [
  ...new Set(history.flatMap((event) => (event.type === type ? String((event.data as Readonly<Record<string, unknown>>)[field]) : []))),
]
const links = valuesOf(everyEvent, 'LinkSubmitted', 'link')
const subsites = valuesOf(everyEvent, 'SubsiteCreated', 'subsite')

test('what a link, a subsite with its settings and rules, its stickies, moderators, wiki and log were after an event is what a replay until then makes of them', async (t) => {
  await fc.assert(
    fc.asyncProperty(histories, fc.array(fc.nat(), { minLength: 6, maxLength: 6 }), async (history, places) => {
      const streams = Map.groupBy(history, ({ stream }) => stream)
      const documents = await today(t, history)
      const pages = valuesOf(history, 'WikiPageRevised', 'page').concat(
        mirroredSettings.map(([page]) => page),
        STYLESHEET_PAGE,
      )
      // any place, and right after what was changed
      const changed = history.flatMap(({ type }, index) => (/^(Wiki|Rule|SubsiteSetting|StylesheetSaved)/.test(type) ? [index + 1] : []))
      for (const place of places) {
        const n = (place % 3 === 0 ? undefined : pick(changed, place)) ?? place % (history.length + 1)
        const whole = replayed(history, n)
        const then = { readUntil: reading(streams), upTo: positionOf(n) }
        for (const id of links) t.deepEqual(own(right(await linkAsOf(then, id))), own(whole.links.get(id)), `${id} after ${n}`)
        for (const id of subsites) {
          const { subscribers: _, ...subsite } = right(await subsiteAsOf(then, id)) ?? { subscribers: 0 }
          const { subscribers: __, ...expected } = whole.subsites.get(id) ?? { subscribers: 0 }
          t.deepEqual(subsite, expected, `${id} after ${n}`)
          t.deepEqual(right(await stickiesAsOf(then, id)), whole.stickies.get(id) ?? [])
          const moderators = whole.moderators.filter((one) => one.subsite === id).toSorted((one, other) => one.revision - other.revision)
          t.deepEqual(right(await moderatorsAsOf(then, id)), moderators)
          for (const page of pages)
            t.deepEqual(
              await revisionAsOf(documents, id, page, then.upTo),
              whole.revisions.find((one) => one.subsite === id && one.page === page),
              `${page} of ${id} after ${n}`,
            )
          const last = history[n - 1]
          const entries = whole.entries.filter((one) => one.subsite === id)
          if (last) t.deepEqual(await logUntil(documents, id, last), entries, `the log of ${id} after ${n}`)
        }
      }
    }),
    { numRuns: FULL ? 60 : 5 },
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
