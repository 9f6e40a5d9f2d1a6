import test from 'ava'
import { allPages } from '../../../src/http/pages/all.ts'
import { renderPage } from '../../../src/http/pages/frame.ts'
import { browserAs } from '../../support/browser-requests.ts'
import { startTea } from '../../support/cast.ts'
import { postForm } from '../../support/community.ts'
import { allNumbered } from '../../support/following.ts'
import { longestTurn, processorTime } from '../../support/hostile-texts.ts'
import { compose } from '../../support/mail.ts'
import { say, submit } from '../../support/posting.ts'
import { edit } from '../../support/wiki.ts'

const { site, ann, bob, root } = await startTea(['root'])
const link = await submit(bob, 'tea')
const comment = await say(bob, link, 'a **fine** comment')
await say(ann, comment, 'and its reply')
for (const page of ['index', 'green']) await edit(ann, 'tea', page, 'leaves')
await edit(ann, 'tea', 'index', 'more leaves')
await compose(bob, 'ann', 'Hello', 'there')
await postForm(ann, '/api/lock', { id: link })
await postForm(root, '/api/suspend_user', { name: 'bob' })
await ann.request('PUT', '/api/v1/me/friends/bob', { json: {} })
const [asAnn, asRoot] = await Promise.all([ann, root].map((user) => browserAs(site, user)))
await allNumbered(site)
test.after.always(() => site.stop())

/** The pages of lists that may be long, with an address and the place of the list in its JSON. */
const lists: Readonly<Record<string, readonly [path: string, list: string]>> = {
  'GET [/s/{sub}]/comments/{article}': [`/comments/${link.slice(3)}`, '1.data.children'],
  'GET [/s/{sub}]/new': ['/s/tea/new', 'data.children'],
  'GET [/s/{sub}]/comments': ['/s/tea/comments', 'data.children'],
  'GET /user/{username}/{where}': ['/user/ann/overview', 'data.children'],
  'GET [/s/{sub}]/about/log': ['/s/tea/about/log', 'data.children'],
  'GET [/s/{sub}]/about/{location}': ['/s/tea/about/unmoderated', 'data.children'],
  'GET [/s/{sub}]/about/{where}': ['/s/tea/about/moderators', 'data.children'],
  'GET [/s/{sub}]/wiki/pages': ['/s/tea/wiki/pages', 'data'],
  'GET [/s/{sub}]/wiki/revisions': ['/s/tea/wiki/revisions', 'data.children'],
  'GET [/s/{sub}]/wiki/revisions/{page}': ['/s/tea/wiki/revisions/index', 'data.children'],
  'GET /message/{where}': ['/message/messages', 'data.children'],
  'GET /subs/{where}': ['/subs/new', 'data.children'],
  'GET /history/things/{thing}': [`/history/things/${link}`, 'data.children'],
  'GET /api/v1/site/log': ['/api/v1/site/log', 'data.children'],
}

type Shown = Parameters<typeof renderPage>[1]

const pageOf = (name: string) => {
  const page = allPages.find(({ of }) => of === name)
  if (!page) throw new Error(`no page of ${name}`)
  return page
}

/** Returns the arguments of a page, with so many rows in its list. */
const shownWith = async (name: string, count: number): Promise<Shown> => {
  const [path = '', list = ''] = lists[name] ?? []
  const { body } = (await (name.includes('/site/') ? asRoot : asAnn)?.get(`${path}.json?raw_json=1`)) ?? {}
  const steps = list.split('.')
  const last = steps.pop() ?? ''
  const holder = steps.reduce<object>((inner, key) => Reflect.get(inner, key), body as object)
  const rows = Reflect.get(holder, last) as readonly unknown[]
  if (rows.length === 0) throw new Error(`${path} has no rows`)
  Reflect.set(
    holder,
    last,
    Array.from({ length: count }, (_, n) => structuredClone(rows[n % rows.length])),
  )
  const at = { target: path, path, query: new URLSearchParams(), sub: 'tea', publicUrl: '', back: path, position: '', copyOf: undefined }
  return { body, also: {}, subsite: undefined, styling: undefined, viewer: undefined, at, form: undefined }
}

const piecesOf = (name: string, shown: Shown): number =>
  [
    ...pageOf(name)
      .main(shown as never)
      .pieces(),
  ].length

for (const name of Object.keys(lists))
  test(`the page of ${name} is rendered row by row`, async (t) => {
    const [few, many] = [piecesOf(name, await shownWith(name, 2)), piecesOf(name, await shownWith(name, 300))]
    t.true(many - few >= 298, `${few} pieces of 2 rows, ${many} of 300`)
  })

for (const [name, count] of [
  ['GET [/s/{sub}]/comments/{article}', 3_000],
  ['GET [/s/{sub}]/about/log', 5_000],
  ['GET /history/things/{thing}', 5_000],
] as const)
  test(`other requests get their turn while a long page of ${name} is rendered`, async (t) => {
    const shown = await shownWith(name, count)
    const whole = await processorTime(() => renderPage(pageOf(name), shown))
    const longest = await longestTurn(() => renderPage(pageOf(name), shown))
    t.log(`${longest.toFixed(1)} of ${whole.toFixed(1)} ms at once`)
    t.true(longest < whole / 2)
  })
