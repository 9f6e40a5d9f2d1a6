import test from 'ava'
import type { AnyEndpoint } from '../../src/http/contract/endpoint.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'
import { startTea } from '../support/cast.ts'
import { postForm } from '../support/community.ts'
import { id36, say, submit } from '../support/posting.ts'
import type { Answer } from '../support/site.ts'

// The start checks that each choice's order has an index; this test checks that each choice is served.

const { site, ann, bob, root } = await startTea(['root'])
const link = await submit(bob, 'tea', { title: 'Leaves', text: 'Which leaves?' })
const comment = await say(bob, link)
for (const time of [1, 2]) {
  await say(ann, await submit(bob, 'tea', { url: 'https://leaves.example/', resubmit: 'true' }))
  await say(bob, comment)
  await postForm(bob, '/api/compose', { to: 'ann', subject: 'leaves', text: 'hello' })
  await postForm(ann, '/api/remove', { id: await submit(bob, 'tea') })
  await postForm(ann, '/s/tea/api/wiki/edit', { page: 'index', content: `leaves ${time}` })
}
for (const id of [link, comment]) {
  for (const dir of [1, -1]) await postForm(ann, '/api/vote', { id, dir })
  await postForm(ann, '/api/save', { id })
}
await ann.request('PUT', '/api/multi/user/ann/m/drinks', { form: { model: '{}' } })
test.after.always(() => site.stop())

const filled: Readonly<Record<string, string>> = {
  ...{
    sub: 'tea',
    article: id36(link),
    names: link,
    username: 'ann',
    user: 'ann',
    page: 'index',
    id: id36(link),
    thing: link,
    link_id: link,
  },
  ...{ q: 'leaves', query: 'leaves', url: 'https://leaves.example/', children: id36(comment), host: 'leaves.example', subsite: 'tea' },
  multipath: 'user/ann/m/drinks',
}
/** Parameters that are sent though they are not required: without them there is nothing to find. */
const wanted = ['q', 'query']

/** Read by admins only. */
const ofAdmins = ['/message/reported', '/api/v1/site/', '/admin']

type Choice = Readonly<Record<string, string>>

/** Every combination of one value for each name. */
const combinations = (choices: readonly (readonly [string, readonly string[]])[]): readonly Choice[] =>
  choices.reduce<readonly Choice[]>(
    (some, [name, values]) => some.flatMap((choice) => values.map((value) => ({ ...choice, [name]: value }))),
    [{}],
  )

/** The paths for each choice of the path variables: in the subsite and without one, where there are both. */
const pathsOf = ({ path, values = {} }: AnyEndpoint): readonly (readonly string[])[] =>
  combinations(Object.entries(values)).map((choice) =>
    (path.startsWith('[') ? [path.replace('[/s/{sub}]', ''), path.replace('[/s/{sub}]', '/s/tea')] : [path]).map((one) =>
      one.replace(/\{(\w+)\}/g, (_, name: string) => choice[name] ?? filled[name] ?? 'x'),
    ),
  )

/** Every combination of the other choices, and each switch on and off. */
const choicesOf = ({ path, params, values = {} }: AnyEndpoint): readonly Choice[] => {
  const sent = Object.entries(params).filter(([name]) => !(name in values) && !path.includes(`{${name}}`))
  const needed = sent.flatMap(([name, { required }]) => {
    const value = required || wanted.includes(name) ? filled[name] : undefined
    return value === undefined ? [] : [[name, [value]] as const]
  })
  const closed = sent.flatMap(([name, { schema }]) => (Array.isArray(schema.enum) ? [[name, schema.enum.map(String)] as const] : []))
  const switches = sent.flatMap(([name, { schema }]) => (schema.type === 'boolean' ? [[name, ['true', 'false']] as const] : []))
  return [...combinations([...needed, ...closed]), ...switches.flatMap((one) => combinations([...needed, one]))]
}

/** A redirect is the response of an endpoint that sends its choices on. */
const isServed = ({ status }: Answer): boolean => status === 200 || status === 302

for (const endpoint of endpoints)
  if (endpoint.method === 'GET' && (choicesOf(endpoint).length > 1 || endpoint.listing))
    test(`${endpoint.path}: every combination of its choices is served, and the pages after and before`, async (t) => {
      for (const paths of pathsOf(endpoint))
        for (const choice of choicesOf(endpoint)) {
          const served: boolean[] = []
          for (const path of paths) {
            const ask = async (anchor: Choice) => {
              const address = `${path}?${new URLSearchParams({ limit: '1', ...choice, ...anchor })}`
              const answer = await (ofAdmins.some((start) => path.startsWith(start)) ? root : ann).get(address)
              t.false(answer.status >= 500, `${address}: ${answer.status} ${answer.text.slice(0, 300)}`)
              return answer
            }
            const first = await ask({})
            served.push(isServed(first))
            const after = first.status === 200 && endpoint.listing && first.text.startsWith('{') ? first.at('data.after') : undefined
            if (typeof after !== 'string') continue
            await ask({ after })
            await ask({ before: after })
          }
          t.true(served.includes(true), `${paths.join(' or ')} with ${JSON.stringify(choice)}`)
        }
    })
