import test from 'ava'
import { appoint, postForm } from '../support/community.ts'
import { documentServer } from '../support/document-server.ts'
import { startEventStoreServer } from '../support/event-store-server/server.ts'
import { names, refusalOf, submit } from '../support/posting.ts'
import { serverStores } from '../support/server-stores.ts'
import { type Caller, callerAt, startSite, type User } from '../support/site.ts'

const ROUNDS = 6

const server = await documentServer()

if (typeof server === 'string') test.skip(`authority at several processes is not tested: ${server}`, (t) => t.pass())
else {
  const log = await startEventStoreServer()
  const stores = serverStores(log, server)
  const first = await startSite({ ...stores, projections: 'inline' })
  const second = await startSite({ ...stores, projections: 'external' })
  test.after.always(async () => {
    await second.stop()
    await first.stop()
    await log.stop()
    await server.stop()
  })

  /** Returns an account as it calls the second process. */
  const atSecond = async (user: User) => {
    const { cookie, modhash } = await user.session()
    return callerAt(second.url, { Cookie: cookie, 'X-Modhash': modhash })
  }
  const newTea = async (ann: User, name: string) => {
    const settings = { wikimode: 'anyone', wiki_edit_karma: '0', wiki_edit_age: '0' }
    await postForm(ann, '/api/site_admin', { name, title: 'Tea', type: 'public', link_type: 'any', ...settings })
  }

  const eventsOf = async (id: string) => {
    const events = []
    for await (const page of first.running.app.readStream(`link-${id}`)) events.push(...page)
    return events
  }
  /** The fields of a link that moderators decide. */
  const decidedIn = ({ banned_by, approved_by, locked, over_18 }: Readonly<Record<string, unknown>>) => ({
    ...{ banned_by, approved_by, locked, over_18 },
  })

  test('what one process acknowledged about somebody’s rights binds at another in the same instant', async (t) => {
    const ann = await first.register('ann')
    const bob = await first.register('bob')
    await newTea(ann, 'tea')
    const elsewhere = await atSecond(bob)
    const edit = async (text: string) => (await elsewhere.post('/s/tea/api/wiki/edit', { page: 'index', content: text })).status
    t.is(await edit('first'), 200)
    for (let round = 0; round < ROUNDS; round++) {
      await postForm(ann, '/s/tea/api/friend', { type: 'wikibanned', name: 'bob' })
      t.is(await edit(`banned ${round}`), 403)
      await postForm(ann, '/s/tea/api/unfriend', { type: 'wikibanned', name: 'bob' })
      t.is(await edit(`again ${round}`), 200)
    }
  })

  test('of two moderators who decide on the same sight of a thing at two processes exactly one decides, and both show it', async (t) => {
    const [amy, ben, cat] = [await first.register('amy'), await first.register('ben'), await first.register('cat')]
    await newTea(amy, 'mate')
    await appoint(amy, 'mate', ben, '+posts')
    const elsewhere = await atSecond(ben)
    const form = { sr: 'mate', kind: 'self', title: 'Mate' }
    const acts = [
      ['remove', 'approve'],
      ['lock', 'remove'],
      ['marknsfw', 'lock'],
      ['ignore_reports', 'approve'],
    ] as const
    for (const [one, other] of acts) {
      const id = String((await postForm(cat, '/api/submit', form)).at('json.data.name'))
      const seen = (await first.get(`/by_id/${id}`)).headers.get('x-log-position') ?? ''
      const decide = (by: Caller, act: string) => by.post(`/api/${act}`, { id, expected_position: seen })
      const answers = await Promise.all([decide(amy, one), decide(elsewhere, other)])
      t.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409], `${one} and ${other}`)
      const isFirst = answers[0]?.status === 200
      const [won, lost] = isFirst ? answers : answers.toReversed()
      t.like(lost?.body, { reason: 'DECIDED_MEANWHILE', decision: { by: isFirst ? 'amy' : 'ben' } })
      const types = (await eventsOf(id)).map(({ type }) => type)
      t.is(types.filter((type) => !/Submitted|VoteCast/.test(type)).length, 1, String(types))
      const position = won?.headers.get('x-log-position') ?? ''
      const pages = await Promise.all(
        [amy, elsewhere].map(async (by) => (await by.get(`/by_id/${id}?min_position=${position}`)).at('data.children.0.data')),
      )
      const shown = pages.map((data) => decidedIn(data as Readonly<Record<string, unknown>>))
      t.deepEqual(shown[0], shown[1])
    }
  })

  test('a report counts by the rights that another process acknowledged in the same instant', async (t) => {
    const carl = await first.register('carl')
    const dora = await first.register('dora')
    await newTea(carl, 'milk')
    const elsewhere = await atSecond(dora)
    const reported = async () => names(await carl.get('/s/milk/about/reports'))
    for (let round = 0; round < ROUNDS / 2; round++) {
      const [ignored, counted] = [await submit(carl, 'milk'), await submit(carl, 'milk')]
      await postForm(carl, '/s/milk/api/friend', { type: 'banned', name: 'dora' })
      await postForm(elsewhere, '/api/report', { thing_id: ignored, reason: 'spam' })
      await postForm(carl, '/s/milk/api/unfriend', { type: 'banned', name: 'dora' })
      await postForm(elsewhere, '/api/report', { thing_id: counted, reason: 'spam' })
      t.is((await reported())[0], counted, `round ${round}`)
      t.is((await reported()).length, round + 1)
    }
  })

  test('of four registrations of one name, in two spellings at two processes, exactly one succeeds', async (t) => {
    const register = (url: string, user: string) =>
      callerAt(url).post('/api/register', { user, passwd: 'a long password', passwd2: 'a long password', api_type: 'json' })
    for (const [one, other] of [
      ['Nora', 'nora'],
      ['Otto-1', 'otto-1'],
    ] as const) {
      const calls = [first.url, second.url].flatMap((url) => [register(url, one), register(url, other)])
      const refusals = (await Promise.all(calls)).map(refusalOf)
      t.deepEqual(refusals.toSorted(), ['', ...Array<string>(3).fill('USERNAME_TAKEN user')], one)
    }
  })

  test('one key posts once, though two processes receive it in the same instant, and both give the same answer', async (t) => {
    const fay = await first.register('fay')
    await newTea(fay, 'cocoa')
    const callers = [fay, await atSecond(fay)]
    const form = { sr: 'cocoa', kind: 'self', title: 'Once', api_type: 'json' }
    for (let round = 0; round < ROUNDS; round++) {
      const calls = [...callers, ...callers].map((caller) => caller.post('/api/submit', form, { 'Idempotency-Key': `round-${round}` }))
      const texts = (await Promise.all(calls)).map(({ text }) => text)
      t.is(new Set(texts).size, 1, texts.join(' '))
    }
    t.is(names(await fay.get('/s/cocoa/new')).length, ROUNDS)
  })

  test('of two changes of the same settings at two processes exactly one is made, and both show it', async (t) => {
    const gus = await first.register('gus')
    await newTea(gus, 'chai')
    const callers = [gus, await atSecond(gus)]
    const sr = String((await gus.get('/s/chai/about')).at('data.name'))
    let title = 'Tea'
    for (let round = 0; round < ROUNDS; round++) {
      const change = { sr, type: 'public', link_type: 'any', expected: JSON.stringify({ title }), api_type: 'json' }
      const titles = [`first ${round}`, `second ${round}`]
      const answers = await Promise.all(callers.map((caller, n) => caller.post('/api/site_admin', { ...change, title: titles[n] })))
      t.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409])
      const winner = answers.findIndex(({ status }) => status === 200)
      title = titles[winner] ?? ''
      const position = answers[winner]?.headers.get('x-log-position') ?? ''
      for (const caller of callers) t.is((await caller.get(`/s/chai/about?min_position=${position}`)).at('data.title'), title)
    }
  })
}
