import test from 'ava'
import type { AnyEndpoint, Param } from '../../src/http/contract/endpoint.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'
import { startTea } from '../support/cast.ts'
import { FULL, sample } from '../support/full.ts'
import { hostileRequests, IN_ADDRESS, textsToSend } from '../support/hostile-requests.ts'
import { hostileTexts, processorTime } from '../support/hostile-texts.ts'
import { say, submit } from '../support/posting.ts'

const LONG = 160_000
/** The longest value of a parameter that declares no length of its own. */
const USUAL = 16_384
/** Milliseconds of this process. */
const BOUND = 50

const { site, ann } = await startTea([], { logLevel: 'silent' })
const link = await submit(ann, 'tea')
const comment = await say(ann, link)
const { addressOf, fieldsOf } = hostileRequests({ link, comment })
test.after.always(() => site.stop())

const legalLength = ({ schema, markdown = USUAL }: Pick<Param<unknown>, 'schema' | 'markdown'>): number =>
  typeof schema.maxLength === 'number' ? schema.maxLength : markdown

/** Many parameters are made by the same combinator with the same limits: one of each is tried. */
const kinds = new Map(
  endpoints.flatMap(({ method, path, params }) =>
    Object.entries(params).map(([name, param]) => {
      const { schema, markdown, decode } = param
      return [JSON.stringify([schema, markdown, decode.toString()]), { what: `${method} ${path}: ${name}`, name, param }] as const
    }),
  ),
)

for (const { what, name, param } of kinds.values())
  test.serial(`${what} is decoded in at most ${BOUND} ms, for any input`, async (t) => {
    for (const length of new Set([LONG, legalLength(param)]))
      for (const [kind, text] of sample([...hostileTexts(length)], 6)) {
        const spent = await processorTime(() => param.decode(text, name))
        if (spent > BOUND) t.fail(`${length} characters, ${kind}: ${spent.toFixed()} ms`)
      }
    t.pass()
  })

/** Sends one parameter that is hostile, and others that are not. */
const ask = (endpoint: AnyEndpoint, name: string, text: string) => {
  const address = addressOf(endpoint, { [name]: text })
  if (endpoint.method !== 'GET') return ann.request(endpoint.method, address, { form: fieldsOf(endpoint, { [name]: text }) })
  return ann.get(`${address}?${name}=${encodeURIComponent(text.slice(0, IN_ADDRESS))}`)
}

for (const endpoint of endpoints)
  if (Object.keys(endpoint.params).length > 0)
    test.serial(
      `${endpoint.method} ${endpoint.path}: a request occupies the event loop for at most ${BOUND} ms, for any input`,
      async (t) => {
        for (const [name, param] of Object.entries(endpoint.params))
          for (const length of new Set(endpoint.method === 'GET' ? [IN_ADDRESS] : FULL ? [LONG, legalLength(param)] : [legalLength(param)]))
            for (const [what, text] of textsToSend(length).slice(0, FULL && length !== LONG ? undefined : 1)) {
              const spent = await processorTime(async () => t.false((await ask(endpoint, name, text)).status >= 500))
              if (spent > BOUND) t.fail(`${name}, ${length} characters, ${what}: ${spent.toFixed()} ms`)
            }
      },
    )

/** JSON can write half a surrogate pair as an escape, `\\ud800`. */
const HALF = 'a\ud800b'

/** Returns the members that an endpoint reads from a JSON body: its parameters, or the members of the object that the whole body is. */
const jsonMembers = ({ params, jsonBody }: AnyEndpoint): readonly string[] =>
  Object.entries(params).flatMap(([name, { schema }]) => (name === jsonBody ? Object.keys(schema.properties ?? {}) : [name]))

for (const endpoint of endpoints)
  if (endpoint.method !== 'GET' && jsonMembers(endpoint).length > 0)
    test.serial(`${endpoint.method} ${endpoint.path}: half a surrogate pair in any member of a JSON body causes no fault`, async (t) => {
      const address = addressOf(endpoint, { username: 'bob' })
      const fields = endpoint.jsonBody ? {} : fieldsOf(endpoint)
      for (const name of jsonMembers(endpoint))
        for (const value of sample([HALF, [HALF, HALF], { [HALF]: HALF }, JSON.stringify({ [HALF]: HALF })], 4)) {
          const { status, text } = await ann.request(endpoint.method, address, { json: { ...fields, [name]: value } })
          t.false(status >= 500, `${name}: ${status} ${text}`)
        }
    })
