import test from 'ava'
import type { AnyEndpoint, Param } from '../../src/http/endpoint.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'
import { hostileTexts, processorTime } from '../support/hostile-texts.ts'
import { found, id36, say, submit } from '../support/posting.ts'
import { servers } from '../support/shape.ts'
import { startSite, type TestSite, type User } from '../support/site.ts'

const LONG = 160_000
/** What a parameter may be that says nothing of its own length. */
const USUAL = 16_384
/** What fits into a request's head. */
const IN_ADDRESS = 1_500
/** Milliseconds of this process. With servers, their stand-ins work in it, too, and their time cannot be told from the service's. */
const BOUND = servers ? 200 : 50

let site: TestSite
let ann: User
let usual: Readonly<Record<string, string>>

test.before(async () => {
  site = await startSite({ logLevel: 'silent' })
  ann = await site.register('ann')
  await found(ann, 'tea')
  const link = await submit(ann, 'tea')
  const comment = await say(ann, link)
  usual = {
    id: link,
    thing_id: link,
    link_id: link,
    article: id36(link),
    comment: id36(comment),
    sr: 'tea',
    kind: 'self',
    title: 'a title',
    text: 'some words',
    name: 'ann',
    user: 'ann',
    username: 'ann',
    to: 'ann',
    subject: 'a subject',
    type: 'friend',
    api_type: 'json',
    dir: '1',
    passwd: 'correct horse',
    resubmit: 'true',
  }
})
test.after.always(() => site.stop())

const legalLength = ({ schema, markdown = USUAL }: Pick<Param<unknown>, 'schema' | 'markdown'>): number =>
  typeof schema.maxLength === 'number' ? schema.maxLength : markdown

for (const endpoint of endpoints)
  test.serial(`${endpoint.method} ${endpoint.path}: each parameter is decoded in at most ${BOUND} ms, whatever it is`, async (t) => {
    for (const [name, param] of Object.entries(endpoint.params))
      for (const length of new Set([LONG, legalLength(param)]))
        for (const [what, text] of hostileTexts(length)) {
          const spent = await processorTime(() => param.decode(text, name))
          if (spent > BOUND) t.fail(`${name}, ${length} characters, ${what}: ${spent.toFixed()} ms`)
        }
    t.pass()
  })

const addressOf = ({ path, values }: AnyEndpoint, hostile: Readonly<Record<string, string>>) =>
  path
    .replace('[/s/{sub}]', '/s/tea')
    .replace('{sub}', 'tea')
    .replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(values?.[name]?.[0] ?? hostile[name]?.slice(0, IN_ADDRESS) ?? usual[name] ?? 'x'),
    )

/** The endpoint with one parameter that is hostile and others that are not. */
const ask = (endpoint: AnyEndpoint, name: string, text: string) => {
  const hostile = { [name]: text }
  const fields = { ...Object.fromEntries(Object.keys(endpoint.params).map((other) => [other, usual[other]])), ...hostile }
  const address = addressOf(endpoint, hostile)
  if (endpoint.method !== 'GET') return ann.request(endpoint.method, address, { form: fields })
  return ann.get(`${address}?${name}=${encodeURIComponent(text.slice(0, IN_ADDRESS))}`)
}

const sent = (length: number) => [...hostileTexts(length)].filter(([what]) => /^x, "(`|a\.|t1_1 )"/.test(what))

for (const endpoint of endpoints)
  if (Object.keys(endpoint.params).length > 0)
    test.serial(
      `${endpoint.method} ${endpoint.path}: an answer takes at most ${BOUND} ms of the event loop, whatever is sent`,
      async (t) => {
        for (const [name, param] of Object.entries(endpoint.params))
          for (const length of new Set(endpoint.method === 'GET' ? [IN_ADDRESS] : [LONG, legalLength(param)]))
            for (const [what, text] of sent(length)) {
              const spent = await processorTime(async () => t.true((await ask(endpoint, name, text)).status < 500))
              if (spent > BOUND) t.fail(`${name}, ${length} characters, ${what}: ${spent.toFixed()} ms`)
            }
      },
    )
