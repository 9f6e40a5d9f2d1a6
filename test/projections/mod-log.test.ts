import test from 'ava'
import { type ModLogDocument, modLogProjection } from '../../projections/mod-log.ts'
import { CommentDeleted } from '../../src/domain/comment.ts'
import { eventDefinitions, type Logged } from '../../src/domain/events.ts'
import { LinkLocked } from '../../src/domain/link.ts'
import { modActions } from '../../src/domain/mod-actions.ts'
import { everyEvent } from '../support/every-event/every-event.ts'
import { bob, carol, pot, praise, story } from '../support/example-history.ts'
import { DAWN, inNameOf, loggedFrom } from '../support/logged-events.ts'
import { changesOf, formerStates } from '../support/mod-log-table/changes.ts'
import { ofFlair } from '../support/mod-log-table/flair.ts'
import { ofThings } from '../support/mod-log-table/links-and-comments.ts'
import { ofPeople } from '../support/mod-log-table/moderators-and-bans.ts'
import { ofRestrictions } from '../support/mod-log-table/restrictions.ts'
import { ofSettings } from '../support/mod-log-table/settings.ts'
import { type Row, subsite, target } from '../support/mod-log-table/terms.ts'
import { ofWiki } from '../support/mod-log-table/wiki.ts'
import { project } from '../support/project.ts'

const table: readonly Row[] = [...ofThings, ...ofSettings, ...ofPeople, ...ofFlair, ...ofRestrictions, ...ofWiki]

for (const [name, act, expected] of table) {
  test(`${name}: ${expected === 'none' ? 'no entry' : expected.action}`, (t) => {
    const entries = project(modLogProjection, loggedFrom([act]))
    if (expected === 'none') return t.deepEqual(entries, [])
    const [event] = loggedFrom([act])
    return t.deepEqual(entries, [
      {
        id: event?.id ?? '',
        position: event?.position ?? '',
        subsite,
        mod: carol,
        details: null,
        description: null,
        page: null,
        at: DAWN,
        isAdmin: false,
        targetId: expected.target?.id ?? null,
        changes: changesOf[name] ?? [],
        ...expected,
      },
    ])
  })
}

for (const [name, act, expected] of formerStates)
  test(`an entry says what was before: ${name}`, (t) => {
    const [entry] = project(modLogProjection, loggedFrom([act]))
    t.deepEqual(entry?.changes, expected)
  })

test('what acts are said to have changed belongs to an act of the table', (t) => {
  const names = new Set(table.map(([name]) => name))
  t.deepEqual(
    Object.keys(changesOf).filter((name) => !names.has(name)),
    [],
  )
})

test('every event that the mod log projects is tested in the table', (t) => {
  const told = new Set(table.map(([, { event }]) => event.type))
  t.deepEqual(
    Object.keys(modLogProjection.on).filter((type) => type !== 'AccountTextsErased' && !told.has(type as never)),
    [],
  )
})

test('every action of the mod log is made by each of its events', (t) => {
  const made = table.flatMap(([, { event }, entry]) => (entry === 'none' ? [] : [`${entry.action} of ${event.type}`]))
  const listed = Object.entries(modActions).flatMap(([action, events]) => events.map((event) => `${action} of ${event}`))
  t.deepEqual(
    listed.filter((act) => !made.includes(act)),
    [],
  )
  t.deepEqual(
    made.filter((act) => !listed.includes(act)),
    [],
  )
})

test('every event with a target or about a subsite itself is projected by the mod log', (t) => {
  const silent = new Set([
    'SubsiteCreated',
    'SubsiteNameClaimed',
    'MessageRemoved',
    'MessageApproved',
    'AccountBlocked',
    'AccountUnblocked',
    'SubsiteBlocked',
    'SubsiteUnblocked',
  ])
  const ofModerators = [...eventDefinitions.keys()].filter((type) =>
    /^(Moderator|Ban|User(Un)?banned|Contributor|SubsiteSetting)|Locked|Unlocked|Removed|Approved|stickied/i.test(type),
  )
  t.deepEqual(
    ofModerators.filter((type) => !(type in modLogProjection.on) && !silent.has(type)),
    [],
  )
})

test('an entry of an admin’s act is marked as by an admin', (t) => {
  const [entry] = project(modLogProjection, loggedFrom([inNameOf('t2_root', 'admin')(LinkLocked({ subsite, target }))]))
  t.like(entry, { mod: 't2_root', isAdmin: true })
})

test('an act of an author on their own thing makes no entry', (t) => {
  const deletion = inNameOf(bob)(CommentDeleted({ comment: praise, link: pot, subsite, author: bob, notified: [] }))
  t.deepEqual(project(modLogProjection, loggedFrom([deletion])), [])
})

test('in the example history every act of a moderator makes exactly one entry', (t) => {
  const acts = story.filter(({ by: { as } }) => as === 'moderator' || as === 'admin')
  const entries = project(modLogProjection, story)
  t.deepEqual(
    entries.map(({ id }) => id),
    acts.map(({ id }) => id).toSorted(),
  )
})

/** Every event, each caused by the last one before it that made an entry: the only entry whose id it would know. */
const chained = (): readonly Logged[] => {
  let last: string | undefined
  return everyEvent.map((event) => {
    const caused = last === undefined ? event : { ...event, meta: { ...event.meta, causationId: last } }
    if (project(modLogProjection, [event]).length > 0) last = event.id
    return caused
  })
}

test('an event makes no entry but its own, and changes no earlier one, not even that of its cause, unless it erases texts', (t) => {
  let before: readonly ModLogDocument[] = []
  const events = chained()
  events.forEach(({ id, type }, n) => {
    const after = project(modLogProjection, events.slice(0, n + 1))
    const earlier = after.filter((entry) => entry.id !== id)
    if (type !== 'AccountTextsErased') t.deepEqual(earlier, before, type)
    t.deepEqual(
      earlier.map((entry) => entry.id),
      before.map((entry) => entry.id),
      type,
    )
    before = after
  })
  t.true(before.length > 50)
})
