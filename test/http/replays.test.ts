import test from 'ava'
import { projections } from '../../projections/all.ts'
import { digestOf } from '../../projections/engine/digest.ts'
import { collectionsOf } from '../../projections/engine/sets.ts'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import type { DocumentStore } from '../../src/ports/documents.ts'
import { startTea } from '../support/cast.ts'
import { runCommand } from '../support/command.ts'
import { head, postForm, waitUntilSettled } from '../support/community.ts'
import { makeCopy, type ServedCopy, serveCopy, storesOf } from '../support/copies.ts'
import { compose } from '../support/mail.ts'
import { put } from '../support/multis.ts'
import { foundSubsite, id36, say, submit } from '../support/posting.ts'
import fc from '../support/properties.ts'
import { servers } from '../support/shape.ts'
import type { User } from '../support/site.ts'
import { edit, openWikis, revisionsOf } from '../support/wiki.ts'

const { site, ann, bob, root } = await startTea(['root'])
test.after.always(() => site.stop())

const digestsOf = (documents: DocumentStore) => Promise.all(projections.map(({ collection }) => digestOf(documents, collection)))

test.serial('a copy until a place has the read models that the site had there', async (t) => {
  const link = await submit(bob, 'tea', { title: 'Leaves', text: 'Which leaves?' })
  await say(ann, link, 'These')
  await postForm(ann, '/api/vote', { id: link, dir: 1 })
  await postForm(ann, '/api/remove', { id: await submit(bob, 'tea', { title: 'Weeds' }) })
  await compose(bob, '/s/tea', 'a question', 'to the moderators')
  await waitUntilSettled(site)
  const place = await head(site)
  const then = await digestsOf(site.running.stores.documents)
  t.true(then.filter(({ documents }) => documents > 0).length > 8)

  await say(bob, link, 'Those')
  await postForm(ann, '/api/approve', { id: link })
  await postForm(bob, '/api/editusertext', { thing_id: link, text: 'What leaves?', api_type: 'json' })
  await waitUntilSettled(site)
  t.notDeepEqual(await digestsOf(site.running.stores.documents), then)
  const stores = await openSqlite({ file: await makeCopy(t, storesOf(site), '--until', place), readOnly: true })
  t.teardown(stores.close)
  await stores.documents.prepare(collectionsOf(projections))
  t.deepEqual(await digestsOf(stores.documents), then)
})

type Kind = 'link' | 'post' | 'comment' | 'multi' | 'message' | 'revision'
type Fate = 'stays' | 'deleted' | 'erased' | 'edited' | 'removed'

const thing = fc.record({
  kind: fc.constantFrom<Kind[]>('link', 'post', 'comment', 'comment', 'multi', 'message', 'revision'),
  author: fc.nat(2),
  fate: fc.constantFrom<Fate[]>('stays', 'deleted', 'deleted', 'erased', 'edited', 'removed'),
  /** True if that happens before the place of the copy. */
  before: fc.boolean(),
})
type Drawn = { readonly kind: Kind; readonly author: number; readonly fate: Fate; readonly before: boolean }
type Made = Drawn & { readonly word: string; readonly by: User; readonly end: () => Promise<unknown>; readonly withdrawn: boolean }

/** The possible fates by kind; others do not happen. */
const possible: Readonly<Record<Kind, readonly Fate[]>> = {
  link: ['deleted', 'erased', 'removed'],
  post: ['deleted', 'erased', 'edited', 'removed'],
  comment: ['deleted', 'erased', 'edited', 'removed'],
  multi: ['deleted', 'edited'],
  message: ['erased'],
  revision: ['erased'],
}

let runs = 0
let words = 0

/** Makes a thing with a word that stands nowhere else, and says how it ends. */
const make = async (place: string, users: readonly User[], drawn: Drawn): Promise<Made> => {
  const { kind, fate } = drawn
  const by = users[drawn.author] as User
  const word = `qx${String(words++).padStart(4, '0')}zz`
  const isPossible = possible[kind].includes(fate)
  const post = async (): Promise<string> =>
    kind === 'link'
      ? submit(by, place, { title: `about ${word}`, url: `https://${word}.example/` })
      : submit(by, place, { title: `on ${word}`, text: `words of ${word}` })
  const ids: Readonly<Record<Kind, () => Promise<string>>> = {
    link: post,
    post,
    comment: async () => say(by, await submit(ann, place, { title: 'a thread' }), `reply ${word}`),
    multi: async () => {
      await put(by, `user/${by.name}/m/${word}`, { description_md: `all of ${word}`, visibility: 'public', subreddits: [{ name: place }] })
      return `user/${by.name}/m/${word}`
    },
    message: async () => {
      await compose(by, `/s/${place}`, `mail ${word}`, `text of ${word}`)
      return String((await ann.get(`/s/${place}/message/moderator`)).at('data.children.0.data.name'))
    },
    revision: async () => {
      await edit(by, place, word.slice(0, 6), `page of ${word}`, { reason: word })
      return String((await revisionsOf(site, place, word.slice(0, 6)))[0]?.id)
    },
  }
  const id = await ids[kind]()
  const reason = 'ordered by a court'
  const end = async (): Promise<unknown> => {
    if (!isPossible) return undefined
    if (kind === 'multi') return fate === 'deleted' ? by.request('DELETE', `/api/multi/${id}`) : put(by, id, { description_md: 'others' })
    if (kind === 'revision') return root.post(`/s/${place}/api/wiki/erase`, { page: word.slice(0, 6), revision: id, reason })
    if (fate === 'erased') return postForm(root, '/api/erase_thing', { id, reason, api_type: 'json' })
    if (fate === 'deleted') return postForm(by, '/api/del', { id })
    if (fate === 'removed') return postForm(ann, '/api/remove', { id })
    return postForm(by, '/api/editusertext', { thing_id: id, text: 'other words', api_type: 'json' })
  }
  return { ...drawn, by, word, end, withdrawn: isPossible && (fate === 'deleted' || fate === 'erased') }
}

/** All that a copy shows of a subsite and of some accounts. */
const shownOn = async (served: ServedCopy, place: string, users: readonly User[], made: readonly Made[]): Promise<string> => {
  const about = ['log', 'modqueue', 'spam', 'reports', 'unmoderated', 'edited', 'moderators', 'contributors', 'message/inbox', 'rules']
  const here = [
    'new',
    'hot',
    'top',
    'comments',
    'new.rss',
    'comments.rss',
    'about',
    'wiki/pages',
    'wiki/revisions',
    ...about.map((page) => `about/${page}`),
  ]
  const first = [
    ...here.map((page) => `/s/${place}/${page}?limit=100`),
    ...users.flatMap(({ name }) => ['overview', 'submitted', 'comments', 'about'].map((page) => `/user/${name}/${page}`)),
    ...users.map(({ name }) => `/api/multi/user/${name}`),
    ...made.flatMap(({ word, kind, by }) => [
      `/search?q=${word}`,
      ...(kind === 'multi' ? [`/api/multi/user/${by.name}/m/${word}`] : []),
      ...(kind === 'revision' ? [`/s/${place}/wiki/${word.slice(0, 6)}`, `/s/${place}/wiki/revisions/${word.slice(0, 6)}`] : []),
    ]),
    ...['/message/reported', '/api/v1/site/log', '/about/log', '/about/spam'],
  ]
  const texts = await Promise.all(first.map(async (path) => (await served.get(path)).text))
  const threads = new Set(texts.join('').match(/"t5_[0-9a-z]+"/g) ?? [])
  const mails = new Set(texts.join('').match(/"t6_[0-9a-z]+"/g) ?? [])
  const second = [
    ...[...threads].flatMap((link) => [
      `/comments/${id36(link.slice(1, -1))}`,
      `/api/info?id=${link.slice(1, -1)}`,
      `/by_id/${link.slice(1, -1)}`,
    ]),
    ...[...mails].map((mail) => `/message/messages/${id36(mail.slice(1, -1))}`),
  ]
  return [...texts, ...(await Promise.all(second.map(async (path) => (await served.get(path)).text)))].join('\n')
}

const end = async (user: User, how: 'deleted' | 'erased') =>
  how === 'deleted'
    ? postForm(await user.session(), '/api/delete_user', { passwd: user.password, api_type: 'json' })
    : postForm(await root.session(), '/api/erase_user', { name: user.name, api_type: 'json' })

test.serial('what is deleted or erased today is on no page of a copy, in no export of it, and no key opens it', async (t) => {
  openWikis(ann)
  let [withdrawn, kept] = [0, 0]
  await fc.assert(
    fc.asyncProperty(
      fc.array(thing, { minLength: 10, maxLength: 14, size: 'max' }),
      fc.record({ who: fc.nat(2), how: fc.constantFrom('deleted', 'erased') }),
      async (drawn, ending) => {
        const place = `place${runs++}`
        await foundSubsite(ann, place, { wikimode: 'anyone' })
        const users = await Promise.all([0, 1, 2].map((n) => site.register(`who${words}n${n}q`)))
        const made: Made[] = []
        for (const one of drawn) made.push(await make(place, users, one))
        for (const { before, end: happen } of made) if (before) await happen()
        await waitUntilSettled(site)
        const until = await head(site)
        for (const { before, end: happen } of made) if (!before) await happen()
        const gone = users[ending.who] as User
        await end(gone, ending.how as 'deleted' | 'erased')
        await waitUntilSettled(site)

        const file = await makeCopy(t, storesOf(site), '--until', until)
        const isWithdrawn = ({ withdrawn: ended, by }: Made) => ended || (ending.how === 'erased' && by === gone)
        const shown = (
          await Promise.all(
            (['anybody', 'moderator', 'admin'] as const).map(async (as) => {
              const served = await serveCopy(t, file, as)
              const text = await shownOn(served, place, users, made)
              await served.stop()
              return text
            }),
          )
        ).join('\n')
        const exported = (await runCommand('export', file, '--open', '--with-keys')).stdout
        for (const one of made) {
          const what = `${one.kind} ${one.fate} ${one.before ? 'before' : 'after'}, author ${one.by === gone ? ending.how : 'there'}`
          const text = isWithdrawn(one) ? undefined : `of ${one.word}`
          if (isWithdrawn(one)) {
            withdrawn += 1
            // the name of a multi is its address, and the host of a link is not a text of others
            for (const written of [
              `about ${one.word}`,
              `on ${one.word}`,
              `of ${one.word}`,
              `reply ${one.word}`,
              `mail ${one.word}`,
              `${one.word}.example`,
            ]) {
              t.false(shown.includes(written), what)
              t.false(exported.includes(written), what)
            }
          } else {
            kept += 1
            t.true(exported.includes(one.word), what)
            if (text && one.kind === 'post' && !(one.before && one.fate === 'edited')) t.true(shown.includes(text), what)
          }
        }
        const named = new RegExp(`.{0,120}${gone.name}.{0,40}`).exec(shown)
        t.is(named, null, `the name of an account that is ${ending.how}`)
      },
    ),
    { numRuns: servers ? 1 : 3, endOnFailure: true },
  )
  t.true(withdrawn > 3 && kept > 3, `${withdrawn} withdrawn, ${kept} kept`)
})
