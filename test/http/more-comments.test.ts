import { connect } from 'node:net'
import test from 'ava'
import { startTea } from '../support/cast.ts'
import { commentsOf, grow, type Node, outline } from '../support/grown-threads.ts'
import { id36, names, say, submit } from '../support/posting.ts'
import type { Caller } from '../support/site.ts'

const { site, bob } = await startTea()
test.after.always(() => site.stop())

// tests with morechildren one after the other: each viewer can make one such request at a time
test.serial('a more stub names the comments it stands for, and morechildren returns them', async (t) => {
  const link = await submit(bob, 'tea')
  const made = await grow(bob, link, outline)
  const nodes = commentsOf(await site.get(`/comments/${id36(link)}?limit=1&sort=old`))
  const [root, more] = nodes
  t.like(more?.data, {
    parent_id: link,
    count: 3,
    children: [made.B, made.C].map((name) => id36(String(name))),
    name: `t1_${id36(String(made.B))}`,
  })
  const inner = root?.data.replies === '' ? undefined : root?.data.replies.data.children[0]
  t.like(inner?.data, { parent_id: made.A, count: 4 })
  for (const method of ['GET', 'POST']) {
    const children = more?.data.children.join(',')
    const query = `link_id=${link}&children=${children}&sort=old&api_type=json`
    const answer =
      method === 'GET'
        ? await site.get(`/api/morechildren?${query}`)
        : await site.post('/api/morechildren', Object.fromEntries(new URLSearchParams(query)))
    t.deepEqual(names(answer, 'json.data.things'), [made.B, made.C, made.c1], method)
    t.is(answer.at('json.data.things.2.data.parent_id'), made.C)
    t.is(answer.at('json.data.things.2.data.replies'), '')
  }
})

test.serial('following all stubs of a thread returns each comment once', async (t) => {
  const link = await submit(bob, 'tea')
  const all: string[] = []
  for (let n = 0; n < 60; n += 1) all.push(await say(bob, n % 3 === 0 ? link : String(all[Math.max(0, n - 1 - (n % 2))]), `c${n}`))
  let deep = String(all[59])
  for (let n = 0; n < 12; n += 1) {
    deep = await say(bob, deep, `d${n}`)
    all.push(deep)
  }
  const met: string[] = []
  const stubs: Node[] = []
  const visit = (nodes: readonly Node[]) => {
    for (const node of nodes) {
      if (node.kind === 'more') stubs.push(node)
      else {
        met.push(node.data.name)
        if (node.data.replies !== '') visit(node.data.replies.data.children)
      }
    }
  }
  const page = `/comments/${id36(link)}`
  visit(commentsOf(await bob.get(`${page}?limit=10`)))
  for (let stub = stubs.shift(); stub; stub = stubs.shift()) {
    const { count, parent_id, children } = stub.data
    if (count > 0) {
      const answer = await bob.get(`/api/morechildren?link_id=${link}&children=${children.join(',')}`)
      const things = answer.at('json.data.things') as readonly Node[]
      t.true(things.filter(({ kind }) => kind === 't1').length <= 20)
      visit(things)
      continue
    }
    const [root] = commentsOf(await bob.get(`${page}/_/${id36(parent_id)}`))
    t.is(root?.data.name, parent_id)
    if (root && root.data.replies !== '') visit(root.data.replies.data.children)
  }
  t.deepEqual(met.toSorted(), all.toSorted())
})

test.serial('morechildren: unknown links are 403, malformed ids 400, ids of other threads are ignored', async (t) => {
  const [link, other] = [await submit(bob, 'tea'), await submit(bob, 'tea')]
  const [mine, theirs] = [await say(bob, link, 'mine'), await say(bob, other, 'theirs')]
  const ask = (query: string) => site.get(`/api/morechildren?${query}`)
  for (const id of ['', 't5_zzzz', 't1_1', 'nonsense']) t.is((await ask(`link_id=${id}&children=1`)).status, 403, id)
  t.is((await ask(`link_id=${link}&children=${id36(mine)},!!`)).status, 400)
  t.deepEqual((await ask(`link_id=${link}&children=`)).at('json.data.things'), [])
  const answer = await ask(`link_id=${link}&children=${[theirs, mine, mine].map(id36).join(',')}`)
  t.deepEqual(names(answer, 'json.data.things'), [mine])
})

test.serial('each viewer can make one morechildren request at a time', async (t) => {
  const link = await submit(bob, 'tea')
  const children = id36(await say(bob, link))
  const ask = (who: Caller) => who.get(`/api/morechildren?link_id=${link}&children=${children}`)
  const atOnce = () => Promise.all(Array.from({ length: 8 }, () => ask(bob)))
  let answers = await atOnce()
  for (let round = 1; round < 20 && answers.every(({ status }) => status === 200); round += 1) answers = await atOnce()
  const refused = answers.filter(({ status }) => status !== 200)
  t.true(refused.length > 0 && refused.length < 8, `${refused.length} of 8 at once were refused`)
  for (const { status, headers, at } of refused) {
    t.deepEqual([status, headers.get('retry-after'), at('reason')], [429, '1', 'TOO_MANY_REQUESTS'])
    t.regex(String(at('explanation')), /^one request for more comments at a time/)
    t.true(Number(headers.get('x-ratelimit-remaining')) > 0)
  }
  t.is((await ask(bob)).status, 200, 'afterwards it is free again')
})

test.serial('who sends the next morechildren request the moment the response to the last has come is never refused', async (t) => {
  const link = await submit(bob, 'tea')
  const path = `/api/morechildren?link_id=${link}&children=${id36(await say(bob, link))}`
  const { hostname, port } = new URL(site.url)
  // one after the other on one connection, with nothing between the last byte of a response and the next request
  const socket = connect(Number(port), hostname)
  t.teardown(() => socket.destroy())
  const request = `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`
  const statuses: string[] = []
  let received = ''
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject).once('close', () => reject(new Error(`closed after ${statuses.length}`)))
    socket
      .on('connect', () => socket.write(request))
      .on('data', (data) => {
        received += data.toString('latin1')
        const [head = '', ...body] = received.split('\r\n\r\n')
        const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? Number.POSITIVE_INFINITY)
        if (body.join('\r\n\r\n').length < length) return
        received = ''
        if (statuses.push(head.split(' ')[1] ?? '') === 100) resolve()
        else socket.write(request)
      })
  })
  // and each on a connection of its own
  for (let n = 0; n < 50; n++) statuses.push(String((await site.get(path, { connection: 'close' })).status))
  t.deepEqual([...new Set(statuses)], ['200'])
})
