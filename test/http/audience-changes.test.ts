import anyTest, { type TestFn } from 'ava'
import { projections } from '../../projections/all.ts'
import { AudienceChange, applyAudience } from '../../src/domain/audience.ts'
import { Comment } from '../../src/domain/comment.ts'
import { postComment } from '../../src/domain/comment-posting.ts'
import { fullname } from '../../src/domain/ids.ts'
import { Link, submitLink } from '../../src/domain/link.ts'
import { standingOf } from '../../src/domain/standing.ts'
import { Subsite } from '../../src/domain/subsite.ts'
import { findMisplaced } from '../../src/queries/audiences.ts'
import { entriesOf, unreadCount } from '../../src/queries/inbox.ts'
import { thingsById } from '../../src/queries/things.ts'
import { commandOf, seedOf } from '../../src/runtime/command.ts'
import { PROJECTION_WAIT_MS } from '../../src/runtime/run.ts'
import { findingsOf } from '../support/auditing.ts'
import { joinSite, startCast } from '../support/cast.ts'
import { eventually, postForm, waitUntilSettled } from '../support/community.ts'
import { foundSubsite, names, refusalOf, say, settle, submit } from '../support/posting.ts'
import { contentsOf } from '../support/read-models.ts'
import { servers } from '../support/shape.ts'
import { streamOf } from '../support/stream-of.ts'

const { site, ann, bob, root } = await startCast(['ann', 'bob', 'root'], { logLevel: 'silent' })
const test = anyTest as TestFn
test.after.always(() => site.stop())

const placed = (subsite: string, audience: string) =>
  eventually(async () => {
    const { things, entries } = await findMisplaced(site.running.app.documents, subsite, audience)
    return things.length + entries.length === 0
  }, 2_000)

type Applied = {
  readonly audience: string
  readonly change: number
  readonly things: readonly string[]
  readonly entries: readonly string[]
}
const appliedIn = async (subsite: string): Promise<readonly Applied[]> =>
  (await streamOf(site.running.stores.events, `audience-${subsite}`)).map(({ data }) => JSON.parse(data))

/** More than one event names, with their entries in an inbox. */
const MANY = servers ? 60 : 620

test.serial('a change of what one event cannot name goes on until nothing is left, at most 500 at a time', async (t) => {
  const large = await foundSubsite(ann, 'large')
  const link = await submit(ann, 'large')
  for (let n = 0; n < MANY; n += 20) await Promise.all(Array.from({ length: 20 }, () => say(bob, link, 'hello /u/root')))
  await waitUntilSettled(site)
  t.is(names(await root.get('/message/mentions?limit=100')).length, Math.min(100, MANY))
  await settle(ann, large, { type: 'private', title: 'large' })
  t.true(await placed(large, large))
  const events = await appliedIn(large)
  t.deepEqual(events[0], { subsite: large, audience: large, change: 1, things: [], entries: [] } as unknown as Applied)
  t.true(events.every(({ things, entries }) => things.length + entries.length <= 500))
  const counted = events.flatMap(({ things, entries }) => [...things, ...entries])
  t.is(counted.length, 1 + 2 * MANY + MANY, 'the link, the comments, and their entries in two inboxes')
  t.is(new Set(counted).size, counted.length, 'each once')
  await waitUntilSettled(site)
  t.deepEqual(names(await site.get('/user/bob/comments')), [])
  t.is(names(await bob.get('/user/ann/overview')).length, 0)
})

/** Acts of ann that were decided on while a subsite had other settings, which a change replaced before they are recorded. */
const lateActs = async (id: string, change: Parameters<typeof settle>[2]) => {
  const { app } = site.running
  const before = await app.load(Subsite, id)
  if (before === undefined) throw new Error('the subsite is not there')
  const revision = (await streamOf(site.running.stores.events, `subsite-${id}`)).length - 1
  await settle(ann, id, { title: 'turning', ...change })
  const by = () => ({
    ...commandOf(seedOf(app.mint()), { account: ann.id, as: 'user' as const }),
    seen: new Map([[`subsite-${id}`, revision]]),
  })
  const standing = standingOf(ann.id, { moderators: undefined, relation: undefined, admin: true, at: Date.now() })
  const facts = { subsite: before, standing, wait: undefined }
  const link = async () => {
    const submission = { author: ann.id, kind: 'self' as const, title: 'late', url: '', text: '', sendReplies: undefined, resubmit: true }
    const name = fullname('link', app.mint())
    await app.run(Link, name, submitLink({ ...facts, bannedDomains: [], duplicate: undefined }, { ...submission, link: name }), by())
    return name
  }
  const comment = async (on: string) => {
    const name = fullname('comment', app.mint())
    const thread = await app.load(Link, on)
    if (thread === undefined) throw new Error('the link is not there')
    const said = { ...facts, comment: name, author: ann.id, at: Date.now(), thread, parent: undefined, mentioned: [bob.id] }
    await app.run(Comment, name, postComment(said, 'late'), by())
    return name
  }
  return { link, comment }
}

const recordedFor = async (stream: string) => JSON.parse((await streamOf(site.running.stores.events, stream))[0]?.data ?? '{}').audience

test.serial('a link and a comment decided on before their subsite turned public, and recorded after, are for everybody', async (t) => {
  const id = await foundSubsite(ann, 'turning', { type: 'private' })
  const late = await lateActs(id, { type: 'public' })
  t.true(await placed(id, 'everybody'))
  const link = await late.link()
  const comment = await late.comment(link)
  t.is(await recordedFor(`link-${link}`), id)
  t.is(await recordedFor(`comment-${comment}`), id)
  t.true(await placed(id, 'everybody'))
  await waitUntilSettled(site)
  t.true(names(await site.get('/s/all/new')).includes(link))
  t.true(names(await bob.get('/message/mentions')).includes(comment))
})

test.serial('a link and a comment decided on before their subsite turned private, and recorded after, are for its members', async (t) => {
  const id = await foundSubsite(ann, 'closing')
  const late = await lateActs(id, { type: 'private', title: 'closing' })
  t.true(await placed(id, id))
  const link = await late.link()
  const comment = await late.comment(link)
  t.is(await recordedFor(`link-${link}`), undefined)
  t.is(await recordedFor(`comment-${comment}`), undefined)
  t.true(await placed(id, id))
  await waitUntilSettled(site)
  const { documents } = site.running.app
  for (const thing of (await thingsById(documents, [link, comment])).values()) t.is(thing.audience, id, thing.id)
  t.is((await entriesOf(documents, bob.id, [comment])).get(comment)?.audience, id)
  const calm = await appliedIn(id)
  await late.link()
  t.true(await placed(id, id))
  t.true((await appliedIn(id)).length > calm.length)
})

test.serial('a change that a later one replaced records nothing more, wherever it runs', async (t) => {
  const { app } = site.running
  const id = await foundSubsite(ann, 'replaced')
  const link = await submit(ann, 'replaced')
  await settle(ann, id, { type: 'private', title: 'replaced' })
  await settle(ann, id, { type: 'public', title: 'replaced' })
  t.true(await placed(id, 'everybody'))
  const [first, ...later] = await appliedIn(id)
  t.true(later.every(({ change }) => change >= (first?.change ?? 0)))
  const late = applyAudience({ subsite: id, audience: id, change: 1, things: [link], entries: [] })
  await app.run(AudienceChange, id, late, commandOf(seedOf(app.mint()), { account: null, as: 'system' }))
  t.is((await appliedIn(id)).length, 1 + later.length)
})

test.serial('a comment that enters an inbox when it is distinguished is not read there by an account that may not view it', async (t) => {
  const id = await foundSubsite(ann, 'muffled')
  const link = await submit(bob, 'muffled', { sendreplies: 'false' })
  const before = (await bob.get('/api/v1/me')).at('inbox_count')
  await settle(ann, id, { type: 'private', title: 'muffled' })
  t.true(await placed(id, id))
  const comment = await say(ann, link)
  await postForm(ann, '/api/distinguish', { id: comment, how: 'yes' })
  await waitUntilSettled(site)
  const { documents } = site.running.app
  t.is((await entriesOf(documents, bob.id, [comment])).get(comment)?.audience, id)
  t.is(await unreadCount(documents, { account: bob.id, audiences: ['everybody'] }), before as number)
  await settle(ann, id, { type: 'public', title: 'muffled' })
  t.true(await placed(id, 'everybody'))
  await waitUntilSettled(site)
  t.true(names(await bob.get('/message/selfreply')).includes(comment))
})

/** Changes settings and waits for the consequences only where the response could not: it waits a second at most. */
const settleInTime = async (subsite: string, audience: string, settings: Parameters<typeof settle>[2]) => {
  const began = performance.now()
  await settle(ann, subsite, settings)
  if (performance.now() - began < PROJECTION_WAIT_MS) return
  await placed(subsite, audience)
  await waitUntilSettled(site)
}

for (const [place, settings] of Object.entries({
  first: { type: 'private', show_media: 'false' },
  'in the middle': { allow_top: 'false', type: 'private', show_media: 'false' },
  last: { lang: 'de', type: 'private' },
}))
  test.serial(
    `a response to a change of several settings, of which that of the type is ${place}, comes after its consequences`,
    async (t) => {
      const name = `several${Object.keys(settings).join('').replaceAll('_', '').slice(0, 12)}`
      const id = await foundSubsite(ann, name)
      const link = await submit(ann, name)
      const comment = await say(bob, link, 'hello /u/root')
      await waitUntilSettled(site)
      const audience = 'allow_top' in settings ? `${id}-aside` : id
      await settleInTime(id, audience, { title: name, ...settings })
      t.false(names(await site.get('/s/all/new')).includes(link))
      t.false(names(await site.get('/s/all/comments')).includes(comment))
      const { things, entries } = await findMisplaced(site.running.app.documents, id, audience)
      t.deepEqual([...things, ...entries], [])
      await settleInTime(id, 'everybody', { title: `${name} again`, type: 'public', allow_top: 'true', show_media: 'true' })
      t.true(names(await site.get('/s/all/hot')).includes(link))
      t.true(names(await site.get('/s/all/comments')).includes(comment))
    },
  )

test.serial('erasures beside a call that changes several settings are carried out, and so is the call', async (t) => {
  const { quinn } = await joinSite(site, 'quinn')
  const id = await foundSubsite(ann, 'erasing')
  const [link, own] = [await submit(bob, 'erasing', { title: 'QUINCE jam' }), await submit(quinn, 'erasing', { title: 'MEDLAR jam' })]
  const comments = [await say(quinn, link, 'MEDLAR, /u/root'), await say(bob, own, 'QUINCE, /u/root')] as const
  await waitUntilSettled(site)
  const several = { title: 'erasing', type: 'private', allow_top: 'false', show_media: 'false', lang: 'de', over_18: 'true' }
  await Promise.all([
    settle(ann, id, several),
    postForm(root, '/api/erase_thing', { id: link, reason: 'ordered', api_type: 'json' }),
    postForm(root, '/api/erase_user', { name: 'quinn' }),
  ])
  t.true(await placed(id, `${id}-aside`))
  await waitUntilSettled(site)
  t.false(names(await site.get('/s/all/new?limit=100')).some((name) => name === link || name === own))
  await Promise.all([
    settle(ann, id, { title: 'erasing', type: 'public', allow_top: 'true', show_media: 'true', lang: 'en' }),
    postForm(root, '/api/erase_thing', { id: comments[1], reason: 'ordered', api_type: 'json' }),
  ])
  t.true(await placed(id, 'everybody'))
  await waitUntilSettled(site)
  const { documents } = site.running.app
  const things = await thingsById(documents, [link, own, ...comments])
  t.deepEqual(
    [...things.values()].map(({ audience }) => audience),
    ['everybody', 'everybody', 'everybody', 'everybody'],
  )
  t.notRegex(JSON.stringify(await contentsOf(documents, projections)), /QUINCE|MEDLAR/)
  t.notRegex((await root.get('/s/erasing/about/log')).text, /QUINCE|MEDLAR/)
})

test.serial('other settings change no audience, nor do types that everybody may view', async (t) => {
  const id = await foundSubsite(ann, 'calm')
  await submit(ann, 'calm')
  await settle(ann, id, { type: 'restricted', title: 'calmer' })
  await settle(ann, id, { type: 'public', title: 'calm', over_18: 'true' })
  await waitUntilSettled(site)
  t.deepEqual(await appliedIn(id), [])
  t.is(refusalOf(await ann.post('/api/site_admin', { sr: id, type: 'public' })), '')
})

test.serial('a post of a subsite that is for the staff is listed for it alone', async (t) => {
  const id = await foundSubsite(root, 'office', { type: 'employees_only' })
  const link = await submit(root, 'office')
  await waitUntilSettled(site)
  t.false(names(await bob.get('/s/all/new?limit=100')).includes(link))
  t.true(names(await root.get('/s/all/new?limit=100')).includes(link))
  t.deepEqual(await appliedIn(id), [])
})

test.serial('the audit finds nothing', async (t) => {
  await waitUntilSettled(site)
  t.deepEqual(await findingsOf(t, site.running), [])
})
