import anyTest, { type TestFn } from 'ava'
import { projections } from '../../projections/all.ts'
import { eventDefinitions } from '../../src/domain/events.ts'
import { codec } from '../../src/log/codec.ts'
import { openKeyring } from '../../src/log/keys.ts'
import { LOG_START } from '../../src/ports/event-store.ts'
import { findingsOf } from '../support/auditing.ts'
import { startCast } from '../support/cast.ts'
import { dataOf, eventually, postForm, waitUntilSettled } from '../support/community.ts'
import { type Everything, writeEverywhere } from '../support/every-text.ts'
import { foundSubsite, id36, readThing, submit } from '../support/posting.ts'
import { contentsOf } from '../support/read-models.ts'

/** A word in each of ann's texts: documents and responses are searched for it. */
const WORD = 'QUINCE'

const { site, ann, bob, eve, root } = await startCast(['ann', 'bob', 'eve', 'root'])

/** Events with a text of their own; the texts of targets and of former states are quotations. */
const withText = [...eventDefinitions].flatMap(([type, { sealedPaths }]) =>
  sealedPaths.some(({ path: [part = ''] }) => !['target', 'before'].includes(part)) ? [type] : [],
)
/** The events among them that do not happen here, and why not. */
const unwritten: Readonly<Record<string, string>> = {
  AccountSuspended: 'its note is in no read model',
  BanNoteChanged: 'its text is where that of BanChanged is',
  WikiBanChanged: 'its text is where that of UserWikiBanned is',
  WikiBanNoteChanged: 'its text is where that of UserWikiBanned is',
  FriendNoteChanged: 'its text is where that of Friended is',
  CommentEdited: 'its text is where that of CommentPosted is',
  MultiEdited: 'its text is where that of MultiCreated is',
  UserFlairSwitched: 'its text is where that of UserFlairChanged is',
}

const events = () => site.running.stores.events.readAll(LOG_START, 1_000)

/** Counts the word in documents. */
const inDocuments = async () =>
  JSON.stringify(await contentsOf(site.running.stores.documents, projections))
    .toUpperCase()
    .split(WORD).length - 1

/** The types of the events that contain the word, read with the present keys. */
const inLog = async () => {
  const logged = await codec(openKeyring(site.running.app.vault)).open(await events())
  return logged.filter(({ data }) => JSON.stringify(data).toUpperCase().includes(WORD)).map(({ type }) => type)
}

/** The pages and feeds in which the word is shown, and to whom. */
const shownOn = async (paths: readonly string[]) => {
  const shown: string[] = []
  for (const [name, reader] of Object.entries({ bob, root, anybody: site }))
    for (const path of paths) if ((await reader.get(path)).text.toUpperCase().includes(WORD)) shown.push(`${name} ${path}`)
  return shown
}

const pagesWith = ({ link, post, comment, reply }: Everything) => [
  ...[`/comments/${id36(post)}`, `/comments/${id36(link)}`, '/s/tea/new', '/s/tea/about/log', '/user/bob/comments', '/user/ann/overview'],
  ...['/s/tea/comments.rss', '/s/tea/about/log.rss', '/user/bob/overview.rss'],
  ...['/s/tea/wiki/leaves', '/s/tea/wiki/revisions', '/s/tea/wiki/revisions/leaves', '/s/tea/about/wikibanned', '/s/tea/about/muted'],
  ...['/s/tea/about/banned', '/s/tea/about/spam', '/s/cups/about/reports', '/s/tea/api/flairlist', '/s/pots/about/message/inbox'],
  ...['/message/inbox', '/message/sent', '/user/ann/m/shelf', '/api/multi/user/ann/m/shelf', '/s/tea/search?q=water&restrict_sr=on'],
  ...[`/api/info?id=${link},${post},${comment},${reply}`, `/api/morechildren?link_id=${post}&children=${id36(reply)}&api_type=json`],
]

/** ann and two others report a link of bob's in the same words. */
const reportTogether = async () => {
  await foundSubsite(bob, 'cups')
  const reported = await submit(bob, 'cups')
  for (const who of [eve, ann, root]) await postForm(who, '/api/report', { thing_id: reported, reason: 'rude' })
  return reported
}

/** An entry of the log about a flair without text must not change when texts are erased. */
const flairWithoutText = async () => {
  await postForm(bob, '/s/cups/api/flair', { name: 'ann', text: 'Brewer' })
  await postForm(bob, '/s/cups/api/deleteflair', { name: 'ann' })
}

/** A note that another moderator replaces is in the log as the former one. */
const replacedNote = async () => {
  for (const [who, note] of [
    [ann, `${WORD} has read enough`],
    [bob, 'everybody has'],
  ] as const)
    await postForm(who, '/s/tea/api/friend', { type: 'muted', name: 'root', note, api_type: 'json' })
}

/** All texts are written and read, so that responses may be cached; then ann is erased. */
const erase = async () => {
  const written = await writeEverywhere(WORD, ann, bob, eve, ['tea', 'pots'])
  const reported = await reportTogether()
  await flairWithoutText()
  await replacedNote()
  await waitUntilSettled(site)
  const paths = pagesWith(written)
  const before = {
    types: new Set((await events()).map(({ type }) => type)),
    documents: await inDocuments(),
    log: await inLog(),
    shown: await shownOn(paths),
    reported: await readThing(bob, reported),
  }
  await postForm(root, '/api/erase_user', { name: 'ann' })
  await eventually(async () => (await inDocuments()) === 0)
  return { before, paths, reported }
}

const test = anyTest as TestFn<Awaited<ReturnType<typeof erase>>>
test.before(async (t) => {
  t.context = await erase()
})
test.after.always(() => site.stop())

test('every event with a text of its own is written here before the erasure, or it is said why not', (t) => {
  t.deepEqual(
    withText.filter((type) => !t.context.before.types.has(type)),
    Object.keys(unwritten),
    'write such a text in test/support/every-text.ts',
  )
})

test('an erasure removes the texts of the account from every read model', async (t) => {
  t.true(t.context.before.documents > 30)
  t.is(await inDocuments(), 0)
})

test('an erasure removes the texts of the account from every page and feed, also from cached ones', async (t) => {
  const { before, paths } = t.context
  t.true(before.shown.length > 25, before.shown.join('\n'))
  t.deepEqual(await shownOn(paths), [])
})

test('after an erasure no event can be read with a text of the account, nor with a former one that another quoted', async (t) => {
  t.true(t.context.before.log.includes('MuteNoteChanged'))
  t.deepEqual(await inLog(), [])
})

test('a report by an erased account still counts, without its reason', async (t) => {
  const { before, reported } = t.context
  t.like(before.reported, { num_reports: 3, user_reports: [['rude', 3]] })
  const left = [
    ['rude', 2],
    ['[erased]', 1],
  ]
  t.like(await readThing(bob, reported), { num_reports: 3, user_reports: left })
})

test('a message of an erased account stays in the inbox of its recipient, with the subject [erased]', async (t) => {
  t.is(dataOf(await bob.get('/message/inbox')).find(({ was_comment: isComment }) => !isComment)?.subject, '[erased]')
})

test('an audit without the key of an erased account finds no difference', async (t) => {
  t.deepEqual(await findingsOf(t, site.running), [])
})
