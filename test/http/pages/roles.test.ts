import test from 'ava'
import { toEndpointName } from '../../../src/http/contract/endpoint.ts'
import { splitTarget } from '../../../src/http/contract/incoming.ts'
import { endpoints } from '../../../src/http/endpoints/all.ts'
import { allPages } from '../../../src/http/pages/all.ts'
import type { AnyPage, At } from '../../../src/http/pages/page.ts'
import { type Account, permissions } from '../../support/authority/roles.ts'
import { type Stage, startStage } from '../../support/authority/stage.ts'
import { browserHeaders, isPage } from '../../support/browser-requests.ts'
import { postForm } from '../../support/community.ts'
import { compose, firstMail } from '../../support/mail.ts'
import { adminAddresses, closedAddresses, type PageScene, pageAddresses } from '../../support/page-rows.ts'
import { wordsBeyond } from '../../support/page-words.ts'
import { foundSubsite, say, settle, submit } from '../../support/posting.ts'
import { routeAt } from '../../support/routed.ts'
import { type Answer, type Caller, callerAt } from '../../support/site.ts'
import { edit } from '../../support/wiki.ts'

const readers = [
  'stranger',
  'author',
  ...permissions,
  'full',
  'banned',
  'suspended',
  'suspendedModerator',
  'root',
] as const satisfies readonly Account[]
type Reader = (typeof readers)[number] | 'anonymous'

const stage = await startStage()
const { site, founder, author, full, stranger, root } = stage

/** Fills a subsite with a word of its own in every place that a page shows. */
const furnish = async (name: string, subsite: string, word: string): Promise<PageScene> => {
  const said = (what: string) => `${word}${what} ${what}`
  await settle(founder, subsite, {
    title: said('title'),
    description: said('sidebar'),
    public_description: said('summary'),
    submit_text: said('submission'),
    wikimode: 'modonly',
  })
  const link = await submit(author, name, { title: said('headline'), text: said('story') })
  const comment = await say(founder, link, said('comment'))
  await say(author, comment, said('answer'))
  const gone = await submit(author, name, { title: said('removed'), text: said('hidden') })
  await postForm(full, '/api/remove', { id: gone })
  await postForm(founder, '/api/remove', { id: await say(author, link, said('removedcomment')) })
  await postForm(founder, '/api/report', { thing_id: link, reason: said('reason') })
  await postForm(founder, `/s/${name}/api/add_subsite_rule`, { short_name: said('rule'), description: said('why'), kind: 'all' })
  await postForm(founder, `/s/${name}/api/subsite_stylesheet`, { op: 'save', stylesheet_contents: `.${word} { color: red }` })
  await postForm(founder, `/s/${name}/api/flair`, { link, text: said('flair') })
  await postForm(founder, `/s/${name}/api/flairtemplate`, { text: said('template'), flair_type: 'LINK_FLAIR' })
  await postForm(founder, `/s/${name}/api/friend`, { type: 'wikibanned', name: 'muted', note: said('note') })
  for (const page of ['index', 'brewing/green']) await edit(founder, name, page, said('page'), { reason: said('edit') })
  await postForm(founder, `/s/${name}/wiki/settings/brewing/green`, { permlevel: 2, listed: 'true' })
  await compose(author, `/s/${name}`, said('question'), said('mail'))
  await compose(founder, 'author', said('subject'), said('letter'))
  await compose(stranger, 'author', said('offer'), said('watches'))
  await postForm(author, '/api/report', { thing_id: `t6_${String((await firstMail(author, 'messages'))?.data.id)}`, reason: said('spam') })
  const message = String((await firstMail(author, 'messages'))?.data.id)
  return { link: link.slice(3), comment: comment.slice(3), message }
}

const open = await furnish('tea', stage.tea, 'quokka')
const closedSubsite = await foundSubsite(founder, 'cellar')
await postForm(founder, '/s/cellar/api/friend', { type: 'moderator_invite', name: 'full', permissions: '+all' })
await postForm(full, '/s/cellar/api/accept_moderator_invite', {})
const closed = await furnish('cellar', closedSubsite, 'wombat')
await settle(founder, closedSubsite, { title: 'wombattitle', type: 'private' })
for (const [who, text] of [
  [stranger, 'numbat'],
  [root, 'bilby'],
] as const)
  await compose(who, 'author', text, text)

const cookieOf = async (stagedBy: Stage, reader: Reader): Promise<Readonly<Record<string, string>>> =>
  reader === 'anonymous' ? {} : { Cookie: (await stagedBy[reader].session()).cookie, 'Sec-Fetch-Site': 'same-origin' }

/** `token` asks for what a page shows of an account that only tokens get by themselves. */
type Sight = { readonly page: Caller; readonly json: Caller; readonly token: Caller; readonly own: Answer }
const sights = new Map<Reader, Sight>()
for (const reader of ['anonymous', ...readers] as const) {
  const cookie = await cookieOf(stage, reader)
  const json = callerAt(site.url, cookie)
  const token = reader === 'anonymous' ? json : stage[reader]
  const own = await json.get('/api/me.json')
  sights.set(reader, { page: callerAt(site.url, { ...browserHeaders, ...cookie }), json, token, own })
}

test.after.always(() => site.stop())

const raw = (address: string): string => `${address}${address.includes('?') ? '&' : '?'}raw_json=1`

const atOf = (target: string): At => {
  const { pathname, searchParams } = new URL(target, 'http://x')
  const sub = /^\/[sr]\/([^/]+)/.exec(pathname)?.[1]
  return { target, path: pathname, query: searchParams, sub, publicUrl: site.url, back: target, position: '', copyOf: undefined }
}

/** Returns the answers that a page may show to a reader: that of its endpoint, of its subsite, and what it asks besides. */
const answersFor = async ({ also, subsiteOf }: AnyPage, address: string, { json, token, own }: Sight): Promise<readonly unknown[]> => {
  const asked = async (target: string): Promise<Answer> => {
    const answer = await json.get(raw(target))
    return answer.status === 401 ? token.get(raw(target)) : answer
  }
  const answer = await json.get(raw(address))
  const bodyOf = ({ body, headers, text }: Answer): unknown =>
    headers.get('content-type')?.startsWith('application/x-ndjson')
      ? text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
      : body
  if (answer.status !== 200) return [own.body, answer.body]
  const at = atOf(address)
  const body = bodyOf(answer)
  const named = subsiteOf?.(body as never) ?? at.sub
  const targets = [...Object.values(also?.(body as never, at) ?? {}).map((one) => one?.target), named && `/s/${named}/about`]
  const others = await Promise.all(targets.flatMap((target) => (target ? [asked(target)] : [])))
  const sheet = named ? (await json.get(`/s/${named}/stylesheet`)).headers.get('location') : null
  return [own.body, body, sheet, ...others.filter(({ status }) => status === 200).map(bodyOf)]
}

const pages = new Map<string, AnyPage>(allPages.map((page) => [page.of, page]))

const nameAt = (address: string): string => {
  const { route } = routeAt('GET', splitTarget(address)?.path ?? '')
  return route ? toEndpointName(route.endpoint) : ''
}
const inCellar = (address: string): string => address.replace(/\btea\b/, 'cellar')
/** Tells whether a page has counts of requests, which another request changes. Only admins see it. */
const isMoving = (address: string): boolean => nameAt(address) === 'GET /api/v1/site/status'

/** Addresses of the pages that are not for everybody. */
const restricted = [...closedAddresses, ...closedAddresses.map(inCellar), ...adminAddresses.filter((one) => !isMoving(one))]

for (const [name, addressesOf] of Object.entries(pageAddresses))
  test.serial(`the page of ${name} shows nobody a word that their JSON does not have`, async (t) => {
    const page = pages.get(name)
    if (!page) throw new Error(`no page of ${name}`)
    t.true(endpoints.some((endpoint) => toEndpointName(endpoint) === name))
    const addresses = new Set([
      ...[...addressesOf(open), ...addressesOf(closed).map(inCellar)],
      ...restricted.filter((address) => nameAt(address) === name),
    ])
    for (const address of addresses)
      for (const [reader, sight] of sights) {
        const shown = await sight.page.get(address)
        t.true(isPage(shown), address)
        const own = `t2_${String(sight.own.at('data.id'))}`
        const others = [address, site.url, own, ...['x-log-position', 'x-request-id'].map((field) => shown.headers.get(field) ?? '')]
        const answers = await answersFor(page, address, sight)
        t.deepEqual(wordsBeyond(shown.text, answers, others), [], `${address} for ${reader}`)
      }
  })

test('every page that is not for everybody is compared', (t) => {
  for (const address of restricted) t.true(nameAt(address) in pageAddresses, address)
})

test('a page compared with the JSON of somebody who may read less has words beyond it', async (t) => {
  const sight = (reader: Reader) => sights.get(reader) ?? t.fail()
  const beyond = async (address: string, reader: Reader, other: Reader): Promise<readonly string[]> => {
    const [mine, theirs] = [sight(reader) as Sight, sight(other) as Sight]
    return wordsBeyond((await mine.page.get(address)).text, [(await theirs.json.get(raw(address))).body], [address, site.url])
  }
  t.true((await beyond('/s/tea/about/modqueue', 'posts', 'stranger')).includes('quokkaheadline'))
  t.true((await beyond('/s/cellar/new', 'full', 'anonymous')).includes('wombatheadline'))
  t.true((await beyond('/message/inbox', 'author', 'stranger')).includes('quokkaletter'))
})
