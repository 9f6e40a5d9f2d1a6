import test from 'ava'
import { newcomer, startTea } from '../support/cast.ts'
import { postForm } from '../support/community.ts'
import { foundSubsite, names, submit } from '../support/posting.ts'

const { site, ann, bob, carol } = await startTea(['carol'])
test.after.always(() => site.stop())

const listed = async (path: string, reader = site as Pick<typeof site, 'get'>) => names(await reader.get(path))

test('the links to a host are listed in each order, whatever their subsite, with or without www.', async (t) => {
  await foundSubsite(ann, 'elsewhere')
  const first = await submit(bob, 'tea', { url: 'https://www.leaf.example/1' })
  const second = await submit(bob, 'elsewhere', { url: 'http://LEAF.example:8080/2' })
  const others = ['https://greenleaf.example/', 'https://leaf.example.org/', 'https://other.example/leaf.example']
  for (const url of others) await submit(bob, 'tea', { url })
  await submit(bob, 'tea', { text: 'https://leaf.example/' })
  await postForm(carol, '/api/vote', { id: first, dir: 1 })
  await postForm(carol, '/api/vote', { id: second, dir: -1 })
  for (const [sort, links] of [
    ['', [first, second]],
    ['/hot', [first, second]],
    ['/new', [second, first]],
    ['/top', [first, second]],
    ['/insightful', [first, second]],
    ['/fun', [second, first]],
  ] as const)
    for (const host of ['leaf.example', 'www.LEAF.example']) t.deepEqual(await listed(`/domain/${host}${sort}`), links, `${host}${sort}`)
  t.deepEqual(await listed('/domain/leaf.example/new?limit=1'), [second])
  t.deepEqual(await listed(`/domain/leaf.example/new?limit=1&after=${second}`), [first])
  t.deepEqual(await listed('/domain/leaf.example/top?t=all'), [first, second])
  t.is((await site.get('/domain/leaf.example/top?t=day')).at('reason'), 'INVALID_OPTION')
  t.is((await site.get('/domain/leaf.example/new.rss')).status, 200)
  t.deepEqual(await listed('/domain/nobody.example'), [])
})

test('links to subdomains are among the links to a host, however long the names are', async (t) => {
  const urls = [
    'https://blog.bough.example/',
    'https://a.blog.bough.example/',
    'https://www.bough.example/',
    'https://b.a.blog.bough.example:81/',
    'https://x.c.blog.bough.example/',
  ]
  const [blog = '', a = '', bough = '', b = '', x = ''] = await Array.fromAsync(urls, (url) => submit(bob, 'tea', { url }))
  for (const url of ['https://1.2.3.4/', 'https://9.2.3.4/']) await submit(bob, 'tea', { url })
  for (const [host, links] of [
    ['bough.example', [x, b, bough, a, blog]],
    ['www.Bough.example', [x, b, bough, a, blog]],
    ['blog.bough.example', [x, b, a, blog]],
    ['a.blog.bough.example', [b, a]],
    ['b.a.blog.bough.example', [b]],
    ['c.blog.bough.example', [x]],
    ['og.bough.example', []],
    ['example', []],
  ] as const) {
    t.deepEqual(await listed(`/domain/${host}/new`), links, host)
    t.deepEqual([...(await listed(`/domain/${host}`))].sort(), [...links].sort(), `${host}, hot`)
  }
  for (const host of ['1.2.3.4', '9.2.3.4']) t.is((await listed(`/domain/${host}/new`)).length, 1, host)
  t.deepEqual(await listed('/domain/2.3.4/new'), [])
  t.deepEqual(await listed('/domain/a.blog.bough.example/new?limit=1'), [b])
  t.deepEqual(await listed(`/domain/a.blog.bough.example/new?limit=1&after=${b}`), [a])
  t.deepEqual(await listed(`/domain/a.blog.bough.example/new?limit=1&before=${a}`), [b])
})

test('a page of links to a long host continues after many links to its siblings', async (t) => {
  const wanted = await submit(bob, 'tea', { url: 'https://mine.many.root.example/' })
  for (let n = 0; n < 12; n += 1) await submit(bob, 'tea', { url: `https://n${n}.many.root.example/` })
  t.deepEqual(await listed('/domain/mine.many.root.example/new?limit=2'), [wanted])
  t.is((await listed('/domain/many.root.example/new?limit=100')).length, 13)
})

test('what a viewer may not see, hid, or what was removed is not among the links to a host', async (t) => {
  await foundSubsite(ann, 'inner', { type: 'private' })
  const reader = await newcomer(site)
  const urls = Array.from({ length: 4 }, (_, n) => `https://stalk.example/${n}`)
  const [kept = '', removed, deleted, hidden] = await Promise.all(urls.map((url) => submit(bob, 'tea', { url })))
  const inner = await submit(ann, 'inner', { url: 'https://stalk.example/inner' })
  await postForm(ann, '/api/remove', { id: removed })
  await postForm(bob, '/api/del', { id: deleted })
  await postForm(reader, '/api/hide', { id: hidden })
  t.deepEqual(await listed('/domain/stalk.example/new', reader), [kept])
  t.deepEqual([...(await listed('/domain/stalk.example/new?show=all', reader))].sort(), [kept, hidden].sort())
  t.true((await listed('/domain/stalk.example/new', ann)).includes(inner))
})

test('what is no host name is not found', async (t) => {
  for (const host of ['a%20b', 'a%2Fb', 'user@leaf.example', 'leaf.example%3A80', '%23', 'x'.repeat(254), '%3Fq', '[::'])
    t.is((await site.get(`/domain/${host}/new`)).status, 404, host)
  const link = await submit(bob, 'tea', { url: 'https://b\u00fccher.example/' })
  for (const host of ['b%C3%BCcher.example', 'xn--bcher-kva.example']) t.deepEqual(await listed(`/domain/${host}`), [link], host)
})
