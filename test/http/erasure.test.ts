import test from 'ava'
import { projections } from '../../projections/all.ts'
import { eventDefinitions } from '../../src/domain/events.ts'
import { codec } from '../../src/log/codec.ts'
import { keyring } from '../../src/log/keys.ts'
import { START } from '../../src/ports/event-store.ts'
import { findingsOf } from '../support/auditing.ts'
import { startCast } from '../support/cast.ts'
import { dataOf, done, eventually, settled } from '../support/community.ts'
import { writeEverywhere } from '../support/every-text.ts'
import { found, id36, submit, thing } from '../support/posting.ts'
import { contentsOf } from '../support/read-models.ts'

/** A word in each of ann's texts: documents and responses are searched for it. */
const WORD = 'QUINCE'

const { site, ann, bob, eve, root } = await startCast(['ann', 'bob', 'eve', 'root'])
test.after.always(() => site.stop())

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
  MuteNoteChanged: 'its text is where that of UserMuted is',
  FriendNoteChanged: 'its text is where that of Friended is',
  CommentEdited: 'its text is where that of CommentPosted is',
  MultiEdited: 'its text is where that of MultiCreated is',
  UserFlairSwitched: 'its text is where that of UserFlairChanged is',
}

const documents = () => contentsOf(site.running.stores.documents, projections)

test('an erasure removes the texts of the account from every read model, as an audit without its key confirms', async (t) => {
  const { link, post, comment, reply } = await writeEverywhere(WORD, ann, bob, eve, ['tea', 'pots'])
  await settled(site)
  const inDocuments = async () =>
    JSON.stringify(await documents())
      .toUpperCase()
      .split(WORD).length - 1
  t.true((await inDocuments()) > 30)
  const recorded = new Set((await site.running.stores.events.readAll(START, 1_000)).map(({ type }) => type))
  t.deepEqual(
    withText.filter((type) => !recorded.has(type)),
    Object.keys(unwritten),
    'write such a text in test/support/every-text.ts',
  )

  await found(bob, 'cups')
  const reported = await submit(bob, 'cups')
  for (const who of [eve, ann, root]) await done(who, '/api/report', { thing_id: reported, reason: 'rude' })
  t.like(await thing(bob, reported), { num_reports: 3, user_reports: [['rude', 3]] })
  // an entry of the log about a flair without text must not change when texts are erased
  await done(bob, '/s/cups/api/flair', { name: 'ann', text: 'Brewer' })
  await done(bob, '/s/cups/api/deleteflair', { name: 'ann' })
  // a note that another moderator replaces is in the log as the former one
  for (const [who, note] of [
    [ann, `${WORD} has read enough`],
    [bob, 'everybody has'],
  ] as const)
    await done(who, '/s/tea/api/friend', { type: 'muted', name: 'root', note, api_type: 'json' })
  const events = () => site.running.stores.events.readAll(START, 1_000)
  /** The types of the events that contain the word, read with the present keys. */
  const inLog = async () => {
    const logged = await codec(keyring(site.running.app.vault)).open(await events())
    return logged.filter(({ data }) => JSON.stringify(data).toUpperCase().includes(WORD)).map(({ type }) => type)
  }
  t.true((await inLog()).includes('MuteNoteChanged'))
  // requested before the erasure, so that responses may be cached
  const paths = [
    ...[`/comments/${id36(post)}`, `/comments/${id36(link)}`, '/s/tea/new', '/s/tea/about/log', '/user/bob/comments', '/user/ann/overview'],
    ...['/s/tea/comments.rss', '/s/tea/about/log.rss', '/user/bob/overview.rss'],
    ...['/s/tea/wiki/leaves', '/s/tea/wiki/revisions', '/s/tea/wiki/revisions/leaves', '/s/tea/about/wikibanned', '/s/tea/about/muted'],
    ...['/s/tea/about/banned', '/s/tea/about/spam', '/s/cups/about/reports', '/s/tea/api/flairlist', '/s/pots/about/message/inbox'],
    ...['/message/inbox', '/message/sent', '/user/ann/m/shelf', `/api/multi/user/ann/m/shelf`, '/s/tea/search?q=water&restrict_sr=on'],
    ...[`/api/info?id=${link},${post},${comment},${reply}`, `/api/morechildren?link_id=${post}&children=${id36(reply)}&api_type=json`],
  ]
  const readers = { bob, root, anybody: site }
  const shownTo = async () => {
    const found: string[] = []
    for (const [name, reader] of Object.entries(readers))
      for (const path of paths) if ((await reader.get(path)).text.toUpperCase().includes(WORD)) found.push(`${name} ${path}`)
    return found
  }
  const before = await shownTo()
  t.true(before.length > 25, before.join('\n'))

  await done(root, '/api/erase_user', { name: 'ann' })
  t.true(await eventually(async () => (await inDocuments()) === 0))
  t.deepEqual(await shownTo(), [])
  t.deepEqual(await inLog(), [])
  const left = [
    ['rude', 2],
    ['[erased]', 1],
  ]
  t.like(await thing(bob, reported), { num_reports: 3, user_reports: left })
  t.is(dataOf(await bob.get('/message/inbox')).find(({ was_comment: isComment }) => !isComment)?.subject, '[erased]')
  t.deepEqual(await findingsOf(t, site.running), [])
})
