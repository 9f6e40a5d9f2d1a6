import { hash } from 'node:crypto'
import test from 'ava'
import { decideEvents } from '../../src/domain/decision.ts'
import { Link, type LinkEvent, LinkLocked, LinkUnlocked, toLinkTarget } from '../../src/domain/link.ts'
import { commandOf, seedOf } from '../../src/runtime/command.ts'
import { five, startCast } from '../support/cast.ts'
import { appoint, dataOf, eventually, logEntries, logOf, postForm, waitUntilSettled } from '../support/community.ts'
import { foundSubsite, say, submit } from '../support/posting.ts'
import { newThread } from '../support/scenes.ts'
import type { Caller } from '../support/site.ts'

const { site, ann, bob, carol, dave, root, erin } = await startCast([...five, 'erin'])
test.after.always(() => site.stop())

const actions = async (reader: Caller, subsite: string, query: string) =>
  (await logEntries(reader, subsite, query)).map(({ action }) => action)

test('a changed note of a ban is a log entry, and only moderators can read notes', async (t) => {
  await foundSubsite(ann, 'notes')
  const ban = { type: 'banned', name: 'bob', api_type: 'json' }
  await postForm(ann, '/s/notes/api/friend', { ...ban, note: 'first' })
  await postForm(ann, '/s/notes/api/friend', { ...ban, note: 'second' })
  await postForm(ann, '/s/notes/api/friend', { ...ban, note: 'second' })
  await postForm(ann, '/s/notes/api/unfriend', ban)
  const read = [`ann unbanuser ${bob.id}`, `ann banuser ${bob.id} changed note second`, `ann banuser ${bob.id} permanent first`]
  t.deepEqual(await logOf(ann, 'notes'), read)
  t.deepEqual(await logOf(root, 'notes'), read, 'admins moderate everywhere')
  const bare = read.map((line) => line.replace(/ (first|second)$/, ''))
  for (const reader of [site, bob, carol]) t.deepEqual(await logOf(reader, 'notes'), bare)
  await appoint(ann, 'notes', carol, '')
  t.deepEqual((await logOf(carol, 'notes')).slice(2), read, 'with whatever permissions')
})

test('the log shows notes of mutes and wiki bans to moderators only', async (t) => {
  await foundSubsite(ann, 'hushed')
  for (const type of ['muted', 'wikibanned'])
    await postForm(ann, '/s/hushed/api/friend', { type, name: 'bob', note: `${type} for rudeness` })
  const notes = async (reader: Caller) => (await logEntries(reader, 'hushed')).map(({ action, description }) => [action, description])
  t.deepEqual(await notes(ann), [
    ['wikibanned', 'wikibanned for rudeness'],
    ['muteuser', 'muted for rudeness'],
  ])
  for (const reader of [site, bob])
    t.deepEqual(await notes(reader), [
      ['wikibanned', null],
      ['muteuser', null],
    ])
})

test('the log describes deleted things to moderators only', async (t) => {
  await foundSubsite(ann, 'gone')
  const link = await submit(bob, 'gone', { title: 'A secret title', text: 'A secret text' })
  const comment = await say(bob, link, 'A secret comment')
  const other = await submit(bob, 'gone', { title: 'Another title', text: 'Another text' })
  for (const id of [link, comment, other]) await postForm(ann, '/api/remove', { id, spam: false })
  await postForm(bob, '/api/del', { id: link })
  await postForm(bob, '/api/del', { id: comment })
  for (const reader of [site, bob, carol]) {
    const { text } = await reader.get('/s/gone/about/log')
    t.notRegex(text, /secret/i)
    const [kept, ...taken] = await logEntries(reader, 'gone')
    t.like(kept, { target_title: 'Another title', target_body: null })
    t.is(taken.length, 2)
    for (const entry of taken) t.like(entry, { target_title: null, target_body: null, target_author: 'bob', action: entry.action })
    t.is(taken[1]?.target_permalink, `/s/gone/comments/${link.slice(3)}/_/`)
  }
  const [, ofComment, ofLink] = await logEntries(ann, 'gone')
  t.like(ofLink, { target_title: 'A secret title', target_body: 'A secret text' })
  t.like(ofComment, { target_body: 'A secret comment' })
})

test('the text of a target is for moderators of the subsite and admins, wherever the log is read; titles are for everybody', async (t) => {
  await foundSubsite(ann, 'withdrawn')
  const link = await submit(bob, 'withdrawn', { title: 'A plain title', text: 'An awful text' })
  const comment = await say(bob, link, 'An awful comment')
  for (const id of [link, comment]) await postForm(ann, '/api/remove', { id, spam: false })
  await postForm(ann, '/api/lock', { id: link })
  const ids = (await logEntries(site, 'withdrawn')).map(({ id }) => id)
  const paths = ['/s/withdrawn/about/log', '/s/withdrawn/about/log.rss', '/history/events?subsite=withdrawn', `/history/things/${link}`]
  // twice and in turns, so that one of them reads what was cached for another
  for (let turn = 0; turn < 2; turn += 1) {
    const bodies = async (reader: Caller) => (await logEntries(reader, 'withdrawn')).map(({ target_body }) => target_body)
    for (const reader of [site, carol, bob]) {
      t.deepEqual(
        await bodies(reader),
        ids.map(() => null),
      )
      t.is((await logEntries(reader, 'withdrawn'))[0]?.target_title, 'A plain title')
      // bob reads his own removed texts where they stand, not in the log
      for (const path of reader === bob ? paths.slice(0, 2) : paths) t.notRegex((await reader.get(path)).text, /awful/, path)
    }
    for (const reader of [ann, root]) t.deepEqual(await bodies(reader), ['An awful text', 'An awful comment', 'An awful text'])
  }
})

type Change = { readonly field: string; readonly before: unknown; readonly after: unknown }
/** Returns the changes of the entries, newest first, as `field before after`. */
const changesIn = async (reader: Caller, subsite: string) =>
  (await logEntries(reader, subsite)).map(({ changes }) =>
    (changes as readonly Change[]).map(({ field, before, after }) => `${field} ${JSON.stringify(before)} ${JSON.stringify(after)}`),
  )

test('entries say what was before an act and after it, to each reader what they may read', async (t) => {
  await foundSubsite(ann, 'before')
  const link = await submit(bob, 'before', { title: 'A title' })
  const act = (path: string, form: Record<string, string>) => postForm(ann, `/s/before${path}`, { ...form, api_type: 'json' })
  await appoint(ann, 'before', carol, '+posts')
  await act('/api/setpermissions', { name: 'carol', type: 'moderator', permissions: '+all' })
  await act('/api/friend', { type: 'banned', name: 'dave', note: 'rude', duration: '3' })
  await postForm(carol, '/s/before/api/friend', { type: 'banned', name: 'dave', note: 'very rude', duration: '3', api_type: 'json' })
  await act('/api/flair', { link, text: 'Question', css_class: 'blue' })
  await act('/api/flair', { name: 'erin', text: 'Brewer' })
  await act('/api/add_subsite_rule', { short_name: 'Be kind', kind: 'all', description: 'To all.' })
  await act('/api/update_subsite_rule', { old_short_name: 'Be kind', short_name: 'Be kind', kind: 'all', description: 'To everybody.' })
  await postForm(ann, '/api/set_suggested_sort', { id: link, sort: 'top' })
  const sheet = { sr: (await site.get('/s/before/about')).at('data.name') as string, title: 'Before', link_type: 'any', type: 'public' }
  await postForm(ann, '/api/site_admin', { ...sheet, description: 'x'.repeat(3_000), spam_links: 'low', api_type: 'json' })
  const read = await changesIn(ann, 'before')
  const [, until] = /until null (\d+)/.exec(read.flat().join(' ')) ?? []
  const sha256 = hash('sha256', 'x'.repeat(3_000))
  const settings = read.slice(0, -10).flat()
  t.true(settings.includes(`description "" {"bytes":3000,"sha256":"${sha256}"}`))
  t.true(settings.includes('spam_links "high" "low"'))
  t.deepEqual(read.slice(-10), [
    ['suggested_sort "" "top"'],
    ['description "To all." "To everybody."'],
    ['short_name null "Be kind"', 'description null "To all."', 'kind null "all"'],
    ['text "" "Brewer"'],
    ['text "" "Question"', 'css_class "" "blue"'],
    ['note "rude" "very rude"'],
    [`until null ${until}`, 'note null "rude"'],
    ['permissions "+posts" "+all"'],
    ['permissions null "+posts"'],
    ['permissions null "+posts"'],
  ])
  const hidden = (changes: readonly string[]) =>
    changes.map((one) => one.replace(/^(note|spam_links|wikimode|allow_top|wiki_edit_\w+|exclude_\w+|spam_\w+) .*/, '$1 null null'))
  for (const reader of [site, bob]) t.deepEqual(await changesIn(reader, 'before'), read.map(hidden))
  t.notRegex((await site.get('/s/before/about/log?limit=500')).text, /rude|"low"/)

  // here, too, the public no longer reads a text that its author deletes
  await postForm(bob, '/api/del', { id: link })
  await waitUntilSettled(site)
  t.deepEqual((await changesIn(bob, 'before')).at(-6), ['text null null', 'css_class "" "blue"'])
  t.deepEqual((await changesIn(carol, 'before')).at(-6), ['text "" "Question"', 'css_class "" "blue"'])
})

test('entries get numbers within seconds, in the order of the log, also on a page that was read before', async (t) => {
  await foundSubsite(ann, 'numbers')
  const id = await submit(bob, 'numbers')
  for (const path of ['/api/lock', '/api/unlock', '/api/lock']) await postForm(ann, path, { id })
  t.true(await eventually(async () => (await logEntries(site, 'numbers')).every(({ k, n }) => k !== null && n !== null)))
  const entries = await logEntries(site, 'numbers')
  t.deepEqual(
    entries.map(({ k }) => k),
    [2, 1, 0],
  )
  const ns = entries.map(({ n }) => Number(n))
  t.deepEqual(
    ns,
    ns.toSorted((a, b) => b - a),
  )
})

const MOST = 500

/** The subsite `pages`, on one link of which ann has acted more often than a page has entries. */
const many = async () => {
  const subsite = await foundSubsite(ann, 'pages')
  const id = await submit(bob, 'pages', { title: 'A title', text: 'A text' })
  const { app } = site.running
  const link = await app.load(Link, id)
  if (!link) throw new Error(`${id} is not there`)
  const data = { subsite, target: toLinkTarget(link) }
  const acts = Array.from({ length: MOST + 20 }, (_, n) => (n % 2 === 0 ? LinkLocked(data) : LinkUnlocked(data)))
  // all at once, in several commands, since one so long makes servers drop the subscriptions to their log
  const command = commandOf(seedOf(app.mint()), { account: ann.id, as: 'moderator' })
  for (let n = 0; n < acts.length; n += 100) {
    const { at } = command
    await app.run(Link, id, () => decideEvents<LinkEvent>(...acts.slice(n, n + 100)), { ...commandOf(seedOf(app.mint()), command.by), at })
  }
  await waitUntilSettled(site)
  return { id, acts }
}
let recorded: ReturnType<typeof many> | undefined
const manyActs = () => {
  recorded ??= many()
  return recorded
}

test('a page of the log, or its feed, has 25 entries by default and at most 500', async (t) => {
  const { id } = await manyActs()
  const sizes = [
    ['', 25],
    ['limit=0', 1],
    [`limit=${MOST - 1}`, MOST - 1],
    [`limit=${MOST}`, MOST],
    [`limit=${MOST + 1}`, MOST],
    ['limit=1000', MOST],
    [`target=${id}&limit=1000`, MOST],
  ] as const
  for (const [query, entries] of sizes) {
    t.is(dataOf(await site.get(`/s/pages/about/log?${query}`)).length, entries, query)
    t.is((await site.get(`/s/pages/about/log.rss?${query}`)).text.split('<entry>').length - 1, entries, `feed, ${query}`)
  }
})

test('the pages of the log follow each other without gaps, newest first, whatever their size', async (t) => {
  const { acts } = await manyActs()
  for (const limit of [MOST, 100]) {
    const walked: (readonly Readonly<Record<string, unknown>>[])[] = []
    for (let after: unknown = ''; after !== null && walked.length < 10; ) {
      const turned = await site.get(`/s/pages/about/log?limit=${limit}&after=${after}`)
      walked.push(dataOf(turned))
      after = turned.at('data.after')
    }
    const whole = walked.flat()
    t.is(walked.length, Math.ceil(acts.length / limit))
    t.is(new Set(whole.map((entry) => entry.id)).size, acts.length, 'each once')
    t.deepEqual(
      whole.map(({ action }) => action),
      acts.map((_, n) => (n % 2 === 0 ? 'unlock' : 'lock')),
    )
  }
})

/** A subsite whose log has five entries, by three accounts. */
const logged = async () => {
  const { name, link, comment } = await newThread({ site, ann, bob })
  await appoint(ann, name, carol, '+posts')
  await postForm(carol, '/api/lock', { id: link })
  await postForm(ann, '/api/remove', { id: comment, spam: false })
  await postForm(root, '/api/unlock', { id: link })
  await postForm(bob, '/api/editusertext', { thing_id: link, text: 'Another text' })
  return { name, link, comment, at: `/s/${name}/about/log` }
}

test('an entry of the log describes its target as it was then, to all who may view the subsite', async (t) => {
  const { name, link, comment } = await logged()
  const all = await logEntries(site, name)
  t.deepEqual(
    all.map(({ action }) => action),
    ['unlock', 'removecomment', 'lock', 'acceptmoderatorinvite', 'invitemoderator'],
  )
  t.like(all[2], {
    mod: 'carol',
    mod_id36: carol.id.slice(3),
    subsite: name,
    target_fullname: link,
    target_author: 'bob',
    target_title: 'A title',
    target_body: null,
    target_permalink: `/s/${name}/comments/${link.slice(3)}/a_title/`,
  })
  t.like(all[1], { target_permalink: `/s/${name}/comments/${link.slice(3)}/a_title/${comment.slice(3)}`, target_title: null })
  t.like(all[3], { mod: 'carol', target_fullname: null, target_author: '' })
  t.like(all[4], { target_fullname: carol.id, target_author: 'carol', target_permalink: null })
})

test('the log can be filtered by a type and by moderators, or by the admins', async (t) => {
  const { name } = await logged()
  t.deepEqual(await actions(site, name, 'type=lock'), ['lock'])
  t.deepEqual(await actions(site, name, 'type=nonsense'), [])
  t.deepEqual(await actions(site, name, 'mod=carol'), ['lock', 'acceptmoderatorinvite'])
  t.deepEqual(await actions(site, name, 'mod=carol,ann'), ['removecomment', 'lock', 'acceptmoderatorinvite', 'invitemoderator'])
  t.deepEqual(await actions(site, name, 'mod=carol,ann&type=lock'), ['lock'])
  t.deepEqual(await actions(site, name, 'mod=nobody'), [])
  t.deepEqual(await actions(site, name, 'mod=a'), ['unlock'])
})

test('the log is paged by its anchors in both directions; an unknown anchor is the first page', async (t) => {
  const { name, at } = await logged()
  const all = await logEntries(site, name)
  const first = await site.get(`${at}?limit=2`)
  t.is(first.at('data.before'), null)
  const second = await site.get(`${at}?limit=2&after=${first.at('data.after')}`)
  t.deepEqual(
    [...dataOf(first), ...dataOf(second)].map(({ id }) => id),
    all.slice(0, 4).map(({ id }) => id),
  )
  t.is(second.at('data.before'), all[2]?.id)
  const back = await site.get(`${at}?limit=2&before=${all[2]?.id}`)
  t.deepEqual(
    dataOf(back).map(({ id }) => id),
    all.slice(0, 2).map(({ id }) => id),
  )
  t.is(dataOf(await site.get(`${at}?after=ModAction_unknown`)).length, 5)
})

test('/s/mod and several subsites show one merged log', async (t) => {
  const one = await newThread({ site, ann, bob })
  const two = await newThread({ site, ann, bob })
  await postForm(ann, '/api/lock', { id: one.link })
  await postForm(ann, '/api/lock', { id: two.link })
  await appoint(ann, one.name, erin, '')
  await appoint(ann, two.name, erin, '-all')
  const targets = async (reader: Caller, path: string) =>
    dataOf(await reader.get(`${path}?type=lock&limit=500`)).map(({ target_fullname }) => target_fullname)
  t.deepEqual(await targets(bob, `/s/${one.name}+${two.name}/about/log`), [two.link, one.link])
  t.deepEqual((await targets(erin, '/about/log')).slice(0, 2), [two.link, one.link])
  t.deepEqual((await targets(erin, '/s/mod/about/log')).slice(0, 2), [two.link, one.link])
  t.deepEqual((await targets(erin, `/s/mod-${two.name}/about/log`)).slice(0, 1), [one.link])
  t.is((await bob.get('/about/log')).status, 403)
  t.is((await site.get('/about/log')).status, 403)
  t.is((await site.get('/s/all/about/log')).status, 404)
  t.is((await site.get('/s/nowhere/about/log')).status, 404)
  await foundSubsite(dave, 'closedlog', { type: 'private' })
  t.is((await site.get('/s/closedlog/about/log')).status, 403)
  t.is((await dave.get('/s/closedlog/about/log')).status, 200)
})
