import type { ExecutionContext } from 'ava'
import { findingsOf } from '../support/auditing.ts'
import { appoint, childrenOf, dataOf, waitUntilSettled } from '../support/community.ts'
import { CROWD_SIZE, type Crowded, noFaults, startCrowded } from '../support/crowd.ts'
import { entriesOf, isQueued, type Past, pastOf, stateAfter, stickiedAfter } from '../support/post-history.ts'
import { foundSubsite, names, readThing, say, submit } from '../support/posting.ts'
import { randomFrom } from '../support/random.ts'
import type { Answer, User } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(startCrowded)
type T = ExecutionContext<Crowded>

/** An act by somebody, and the kinds of entry that it may make. */
type Deed = { readonly by: User; readonly makes: readonly string[]; readonly ask: () => Promise<Answer> }

/** A subsite with a link of bob's and two of moderators, and two comments of moderators on the first of those. */
type Scene = { readonly subsite: string; readonly name: string; readonly links: readonly string[]; readonly comments: readonly string[] }

let scenes = 0
const openScene = async ({ ann, bob, mods }: Crowded): Promise<Scene> => {
  const name = `mixed${scenes++}`
  const subsite = await foundSubsite(ann, name)
  for (const mod of mods.slice(1)) await appoint(ann, name, mod, '+all')
  const [, first, second] = mods as readonly [User, User, User]
  const links = [await submit(first, name), await submit(second, name), await submit(bob, name)] as const
  return { subsite, name, links, comments: [await say(first, links[0]), await say(second, links[0])] }
}

/** Returns contradicting acts of moderators and others on a thing. */
const deedsOn = ({ bob, mods }: Crowded, id: string, author: User): readonly Deed[] => {
  const deed = (by: User, makes: string, path: string, form: object = {}): Deed => ({
    ...{ by, makes: makes.split(' '), ask: () => by.post(`/api/${path}`, { id, api_type: 'json', ...form }) },
  })
  const kind = id.startsWith('t1_') ? 'comment' : 'link'
  const onBoth = (by: User) => [
    deed(by, `remove${kind}`, 'remove', { spam: true }),
    deed(by, `remove${kind}`, 'remove', { spam: false }),
    deed(by, `approve${kind}`, 'approve'),
    deed(by, `approve${kind}`, 'approve'),
    deed(by, 'ignorereports', 'ignore_reports'),
    deed(by, 'unignorereports', 'unignore_reports'),
  ]
  const onLink = (by: User) => [
    deed(by, 'lock', 'lock'),
    deed(by, 'unlock', 'unlock'),
    deed(by, 'marknsfw', 'marknsfw'),
    deed(by, 'marknsfw', 'unmarknsfw'),
    deed(by, 'setcontestmode', 'set_contest_mode', { state: true }),
    deed(by, 'unsetcontestmode', 'set_contest_mode', { state: false }),
    deed(by, 'setsuggestedsort', 'set_suggested_sort', { sort: 'new' }),
    deed(by, 'setsuggestedsort', 'set_suggested_sort', { sort: '' }),
    deed(by, 'sticky', 'set_subsite_sticky', { state: true }),
    deed(by, 'sticky', 'set_subsite_sticky', { state: true, num: 1 }),
    deed(by, 'unsticky', 'set_subsite_sticky', { state: false }),
  ]
  const own = [
    deed(author, 'distinguish sticky', 'distinguish', { how: 'yes', ...(kind === 'comment' && { sticky: true }) }),
    deed(author, 'distinguish', 'distinguish', { how: 'no' }),
    deed(author, 'distinguish', 'distinguish', { how: 'yes' }),
    deed(author, 'marknsfw', 'marknsfw'),
  ]
  const report: Deed = { by: bob, makes: [], ask: () => bob.post('/api/report', { thing_id: id, reason: 'rude' }) }
  return [...mods.flatMap((mod) => [...onBoth(mod), ...(kind === 'link' ? onLink(mod) : [])]), ...own, ...own, report]
}

/** Another one has other deeds in another order; which of them win is decided anew each time. */
const SEED = Number(process.env.RACE_SEED ?? Date.now() % 1_000_000)
const random = randomFrom(SEED)
const shuffled = <Item>(items: readonly Item[]): readonly Item[] =>
  items
    .map((item) => ({ item, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item)

const isAccepted = ({ status, text }: Answer) => status === 200 && !text.includes('"errors":[[')

/** Checks that every moderator and kind of entry has no more entries than accepted requests. */
const sameEntries = async (t: T, { name }: Scene, past: readonly Past[], done: readonly (readonly [Deed, Answer])[]) => {
  const { ann } = t.context
  const shown = dataOf(await ann.get(`/s/${name}/about/log?limit=500`)).filter(({ target_fullname }) =>
    /^t[15]_/.test(String(target_fullname)),
  )
  t.deepEqual(
    shown
      .map(({ id, mod_id36, action, details, target_fullname }) =>
        [String(id).replace('ModAction_', ''), `t2_${mod_id36}`, action, details, target_fullname]
          .filter((part) => part !== null)
          .join(' '),
      )
      .toReversed(),
    entriesOf(past),
  )
  for (const { mod, action } of shown) {
    if (action === 'unsticky') continue // removals and other stickies make it, too
    const made = shown.filter((one) => one.mod === mod && one.action === action).length
    const asked = done.filter(([{ by, makes }, answer]) => by.name === mod && makes.includes(String(action)) && isAccepted(answer))
    t.true(made <= asked.length, `${mod} ${action}: ${made} entries of ${asked.length} requests`)
  }
}

const sameThings = async (t: T, { name, links, comments }: Scene, past: readonly Past[]) => {
  const { ann } = t.context
  const states = new Map([...links, ...comments].map((id) => [id, stateAfter(past, id)]))
  for (const [id, state] of states) {
    if (state.deleted) {
      const later = past.slice(past.findIndex(({ type, data }) => type.endsWith('Deleted') && (data.comment ?? data.link) === id))
      const judged = later.filter(({ type, data }) => /Removed|Approved|Distinguished|Reports/.test(type) && data.target?.id === id)
      t.deepEqual(judged, [], 'moderators do not act on what is deleted')
      continue
    }
    const { banned_by, num_reports, distinguished, locked, over_18, contest_mode, suggested_sort } = await readThing(ann, id)
    t.deepEqual([banned_by !== null, num_reports, distinguished], [state.removed, state.reported, state.distinguished], id)
    if (links.includes(id))
      t.deepEqual([locked, over_18, contest_mode, suggested_sort], [state.locked, state.nsfw, state.contest, state.sort], id)
  }
  for (const [queue, isIn] of Object.entries(isQueued)) {
    const expected = [...states].filter(([id, state]) => !state.deleted && isIn(state, links.includes(id))).map(([id]) => id)
    t.deepEqual(names(await ann.get(`/s/${name}/about/${queue}?limit=100`)).toSorted(), expected.toSorted(), queue)
  }
  const slots = stickiedAfter(past, 'Link')
  const leading = stickiedAfter(past, 'Comment')
  t.true(slots.length <= 2 && leading.length <= 1)
  for (const id of [...slots, ...leading]) t.like(states.get(id), { removed: false, deleted: false }, `${id} is sticky`)
  for (const id of leading) t.is(states.get(id)?.distinguished, 'moderator', id)
  const hot = childrenOf(await ann.get(`/s/${name}/hot?limit=100`)).filter(({ data }) => data.stickied === true)
  t.deepEqual(
    hot.map(({ data }) => data.name),
    slots,
  )
  for (const id of comments) if (!states.get(id)?.deleted) t.is((await readThing(ann, id)).stickied, leading.includes(id), id)
}

/** `MANY` of these deeds at once, the last one among them. */
const race = async (t: T, deedsIn: (scene: Scene) => readonly Deed[]) => {
  const { site, bob } = t.context
  const scene = await openScene(t.context)
  const { subsite, links, comments } = scene
  const possible = deedsIn(scene)
  const deeds = shuffled([...shuffled(possible.slice(0, -1)).slice(0, CROWD_SIZE - 1), ...possible.slice(-1)])
  const answers = await Promise.all(deeds.map(({ ask }) => ask()))
  noFaults(t, answers)
  await waitUntilSettled(site)
  const things = [...links.map((id) => `link-${id}`), ...comments.map((id) => `comment-${id}`)]
  const reports = [...links, ...comments].map((id) => `report-${bob.id}.${id}`)
  const past = await pastOf(t.context, [...things, ...reports, `stickies-${subsite}`, `stickycomment-${links[0]}`])
  await sameEntries(
    t,
    scene,
    past,
    deeds.map((deed, n) => [deed, answers[n] as Answer] as const),
  )
  await sameThings(t, scene, past)
}

const deletion = (by: User, id: string): Deed => ({ by, makes: [], ask: () => by.post('/api/del', { id }) })

for (const round of [1, 2, 3]) {
  test.serial(`concurrent contradictory acts on links of one subsite leave a state that the log explains, round ${round}`, async (t) => {
    const { bob, mods } = t.context
    const [, first, second] = mods as readonly [User, User, User]
    await race(t, ({ links: [a = '', b = '', c = ''] }) => [
      ...deedsOn(t.context, a, first).filter((_, n) => n % 2 === round % 2),
      ...deedsOn(t.context, b, second).filter((_, n) => n % 4 === round),
      ...deedsOn(t.context, c, bob).filter(({ by }, n) => n % 4 === round && by !== bob),
      ...(round === 1 ? [] : [deletion(first, a)]),
    ])
    t.log(`RACE_SEED=${SEED}`)
  })

  test.serial(`concurrent contradictory acts on comments of one link leave a state that the log explains, round ${round}`, async (t) => {
    const [, first, second] = t.context.mods as readonly [User, User, User]
    await race(t, ({ comments: [a = '', b = ''] }) => [
      ...deedsOn(t.context, a, first),
      ...deedsOn(t.context, b, second),
      ...(round === 1 ? [] : [deletion(first, a)]),
    ])
    t.log(`RACE_SEED=${SEED}`)
  })
}

test.serial('after concurrent acts of several kinds the read models match the log', async (t) => {
  t.deepEqual(await findingsOf(t, t.context.site.running), [])
})
