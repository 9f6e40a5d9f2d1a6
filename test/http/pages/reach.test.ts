import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { toEndpointName } from '../../../src/http/contract/endpoint.ts'
import { type IncomingRequest, noBody, splitTarget } from '../../../src/http/contract/incoming.ts'
import { endpoints } from '../../../src/http/endpoints/all.ts'
import { pageActs } from '../../../src/http/pages/acts.ts'
import { previewIn } from '../../../src/http/pipeline/form-posts.ts'
import { requestOfForm } from '../../../src/http/pipeline/page-acts.ts'
import { isSeveral } from '../../../src/http/pipeline/several.ts'
import { reactionQueue } from '../../../src/reactions/queue.ts'
import { browserAs, browserHeaders } from '../../support/browser-requests.ts'
import { postForm } from '../../support/community.ts'
import { startFullPages } from '../../support/full-pages.ts'
import { compose, firstMail } from '../../support/mail.ts'
import { adminAddresses, closedAddresses, pageAddresses } from '../../support/page-rows.ts'
import { foundSubsite, say, submit } from '../../support/posting.ts'
import { routeAt } from '../../support/routed.ts'
import { unreached } from '../../support/unreached.ts'
import { revisionsOf } from '../../support/wiki.ts'

const unread: IncomingRequest = {
  method: 'POST',
  target: '/',
  headers: {},
  ip: '',
  readBody: async () => E.right(noBody),
  abandoned: () => new AbortController().signal,
}

/** Returns the name of the endpoint that a form of a page reaches. */
const reachedBy = (address: string): string => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: browserHeaders.Accept }
  const { method, target } = requestOfForm({ ...unread, method: 'POST', target: address, headers })
  const { route } = routeAt(method, splitTarget(target)?.path ?? '')
  return route ? toEndpointName(route.endpoint) : `nothing: ${method} ${target}`
}

/** A form of a queue does the acts of its buttons to several things, and a preview does nothing. */
const isOfPages = (target: string): boolean => isSeveral({ ...unread, target }) || previewIn({ ...unread, target }) !== undefined

const formAddresses = (text: string): readonly string[] =>
  [...text.matchAll(/ (?:formaction|method="post" action)="([^"]+)"/g)].map(([, address = '']) => address.replaceAll('&amp;', '&'))

type Full = Awaited<ReturnType<typeof startFullPages>>

/** Brings things and accounts into the states in which further acts are offered. Returns the pages of these things. */
const preparedActs = async ({ site, ann, bob, root, long }: Full, link: string): Promise<readonly string[]> => {
  const other = await submit(ann, 'tea', { title: 'Another' })
  await postForm(root, '/api/v1/gold/grant/bob', { csites: 5 })
  for (const path of ['/api/lock', '/api/marknsfw']) await postForm(ann, path, { id: other })
  await postForm(long, '/s/tea/api/friend', { type: 'contributor', name: 'bob' })
  await foundSubsite(bob, 'pots')
  const pots = String((await bob.get('/s/pots/about')).at('data.name'))
  await postForm(root, '/api/mute_subsite', { id: pots })
  await compose(root, '/s/pots', 'Clay', 'Which?')
  await postForm(bob, '/api/compose', { to: 'root', from_sr: 'pots', subject: 'Pots', text: 'Clay.' })
  await postForm(root, '/api/block', { id: String((await firstMail(root, 'messages'))?.data.name) })
  const letter = String((await firstMail(bob, 'messages'))?.data.name)
  for (const path of ['/api/read_message', '/api/collapse_message']) await postForm(bob, path, { id: letter })
  await postForm(root, '/api/suspend_user', { name: (await site.register('noisy')).name })
  const waiting = { id: '00000000-0000-5000-8000-000000000001', type: 'LinkRemoved', stream: 'link-t5_zzz', revision: 0, position: '0' }
  await reactionQueue(site.running.stores.vault).put({ ...waiting, error: 'no kettle', tries: 1, since: 0 })
  const comment = await say(root, link)
  const thread = `/s/tea/comments/${link.slice(3)}/x`
  return [
    '/admin/accounts?name=noisy',
    `/comments/${other.slice(3)}?acts=${other}`,
    `${thread}?acts=${comment}`,
    ...['edit', 'delete', 'erase', 'acts'].map((act) => `${thread}?${act}=${link}`),
  ]
}

test('a page reaches every endpoint that a person may need, or a reason says why not', async (t) => {
  t.timeout(120_000)
  const full = await startFullPages({ logLevel: 'fatal' })
  const { site, ann, bob, root, long, scene } = full
  const link = `t5_${scene.link}`
  await ann.post('/api/v1/apps', { name: 'reader', app_type: 'script', redirect_uri: 'http://localhost/' })
  await postForm(ann, '/api/block_user', { name: long.name })
  await ann.request('PUT', '/api/v1/me/friends/bob', { json: {} })
  await ann.post('/api/multi', { model: JSON.stringify({ display_name: 'Drinks' }) })
  await postForm(bob, '/api/save', { id: link })
  await ann.session()
  const [revision] = await revisionsOf(root, 'tea', 'index')
  const erasing = `/s/tea/wiki/revisions/index?erase=${revision?.id}`
  const inOtherStates = [...(await preparedActs(full, link)), erasing, '/s/tea/about/stylesheet?erase=x.png']
  const addresses = [
    ...Object.values(pageAddresses).flatMap((addressesOf) => addressesOf(scene)),
    ...closedAddresses,
    ...adminAddresses,
    ...inOtherStates,
  ]
  const reached = new Set<string>()
  for (const user of [ann, bob, long, root]) {
    const browsing = await browserAs(site, user)
    for (const address of addresses)
      for (const to of formAddresses((await browsing.get(address)).text).filter((one) => !isOfPages(one))) reached.add(reachedBy(to))
  }
  for (const address of ['/login', '/register']) for (const to of formAddresses((await site.get(address)).text)) reached.add(reachedBy(to))
  await site.stop()
  t.deepEqual(
    [...reached].filter((name) => name.startsWith('nothing')),
    [],
    'a form leads nowhere',
  )
  const writes = endpoints.filter(({ method }) => method !== 'GET').map(toEndpointName)
  t.deepEqual(
    writes.filter((name) => !reached.has(name) && !(name in unreached)),
    [],
    'a form of a page, or a reason in test/support/unreached.ts',
  )
  t.deepEqual(
    Object.keys(unreached).filter((name) => reached.has(name) || !writes.includes(name)),
    [],
    'a reason for nothing',
  )
  for (const name of Object.keys(pageActs)) t.true(reached.has(name), `a form uses the page act ${name}`)
})
