import test from 'ava'
import type { AnyEndpoint } from '../../src/http/endpoint.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'
import { startTea } from '../support/cast.ts'
import { done } from '../support/community.ts'
import { id36, say, submit } from '../support/posting.ts'

// The fields of orders and indexes are names: a choice whose order no index has would fail only when somebody makes it.

const { site, ann, bob } = await startTea()
const link = await submit(bob, 'tea', { title: 'Leaves', text: 'Which leaves?' })
const comment = await say(bob, link)
for (const time of [1, 2]) {
  await say(ann, await submit(bob, 'tea', { url: 'https://leaves.example/', resubmit: 'true' }))
  await say(bob, comment)
  await done(bob, '/api/compose', { to: 'ann', subject: 'leaves', text: 'hello' })
  await done(ann, '/api/remove', { id: await submit(bob, 'tea') })
  await done(ann, '/s/tea/api/wiki/edit', { page: 'index', content: `leaves ${time}` })
}
for (const id of [link, comment]) {
  for (const dir of [1, -1]) await done(ann, '/api/vote', { id, dir })
  await done(ann, '/api/save', { id })
}
test.after.always(() => site.stop())

const filled: Readonly<Record<string, string>> = {
  ...{ article: id36(link), names: link, username: 'ann', user: 'ann', page: 'index', id: id36(link), thing: link, link_id: link },
  ...{ q: 'leaves', query: 'leaves', url: 'https://leaves.example/', children: id36(comment) },
}

type Choice = Readonly<Record<string, string>>

/** Every combination of one value for each name. */
const combinations = (choices: readonly (readonly [string, readonly string[]])[]): readonly Choice[] =>
  choices.reduce<readonly Choice[]>(
    (some, [name, values]) => some.flatMap((choice) => values.map((value) => ({ ...choice, [name]: value }))),
    [{}],
  )

const pathsOf = ({ path, values = {} }: AnyEndpoint): readonly string[] =>
  (path.startsWith('[') ? [path.replace('[/s/{sub}]', ''), path.replace('[/s/{sub}]', '/s/tea')] : [path]).flatMap((one) =>
    combinations(Object.entries(values)).map((choice) =>
      one.replace('{sub}', 'tea').replace(/\{(\w+)\}/g, (_, name: string) => choice[name] ?? filled[name] ?? 'x'),
    ),
  )

/** Those of path variables are in the paths. */
const choicesOf = ({ params, values = {} }: AnyEndpoint): readonly Choice[] => {
  const closed = Object.entries(params).flatMap(([name, { schema }]) =>
    Array.isArray(schema.enum) && !(name in values) ? [[name, schema.enum.map(String)] as const] : [],
  )
  const needed = Object.keys(params).flatMap((name) => (filled[name] === undefined ? [] : [[name, [filled[name]]] as const]))
  return combinations([...needed, ...closed])
}

for (const endpoint of endpoints)
  if (endpoint.method === 'GET' && (choicesOf(endpoint).length > 1 || endpoint.listing))
    test(`${endpoint.path}: every combination of its choices is served, and the pages after and before`, async (t) => {
      for (const path of pathsOf(endpoint))
        for (const choice of choicesOf(endpoint)) {
          const ask = async (anchor: Choice) => {
            const address = `${path}?${new URLSearchParams({ limit: '1', ...choice, ...anchor })}`
            const answer = await ann.get(address)
            t.false(answer.status >= 500, `${address}: ${answer.status} ${answer.text.slice(0, 300)}`)
            return answer
          }
          const first = await ask({})
          const after = first.status === 200 && endpoint.listing && first.text.startsWith('{') ? first.at('data.after') : undefined
          if (typeof after !== 'string') continue
          await ask({ after })
          await ask({ before: after })
        }
    })
