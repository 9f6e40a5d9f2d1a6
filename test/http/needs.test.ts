import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { type Need, nothingToDo, section, type Uses } from '../../src/http/contract/endpoint.ts'
import { rawText } from '../../src/http/contract/params.ts'
import { refuseRule } from '../../src/http/contract/refusals.ts'
import type { SignedIn } from '../../src/http/contract/request.ts'
import { andThen, decodeLate, withRefusal } from '../../src/http/needs/facts.ts'

/** A context in which each parameter has its own name as its value. */
const context = { decode: (name: string) => E.right(name) } as never

const moved = { kind: 'redirect', location: '/here' } as const

test('a need that follows from another one is made from its value', async (t) => {
  const need = andThen(decodeLate(rawText()), (value) => E.right(`${value}!`))
  t.deepEqual(await need(context, 'title'), E.right('title!'))
})

for (const [what, end] of [
  ['a refusal', refuseRule('NOT_FOUND')],
  ['a redirect', E.left(moved)],
  ['nothing to do', E.left(nothingToDo)],
] as const)
  test(`a need that follows from another one ends as it does, with ${what}`, async (t) => {
    const need = andThen(
      () => end,
      () => E.right('never'),
    )
    t.deepEqual(await need(context, 'title'), end)
  })

test('another refusal replaces that of a need, but neither a redirect nor nothing to do', async (t) => {
  t.deepEqual(await withRefusal('FORBIDDEN', () => refuseRule('NOT_FOUND', 'title'))(context, 'title'), refuseRule('FORBIDDEN'))
  t.deepEqual(await withRefusal('FORBIDDEN', () => E.left(moved))(context, 'title'), E.left(moved))
  t.deepEqual(await withRefusal('FORBIDDEN', () => E.left(nothingToDo))(context, 'title'), E.left(nothingToDo))
})

test('a need made from another one decodes the same parameter, also under a name of its own', (t) => {
  const need = decodeLate(rawText(), 'sr')
  for (const made of [andThen(need, E.right), withRefusal('FORBIDDEN', need)])
    t.deepEqual(Object.keys(made.params?.('subsite') ?? {}), ['sr'])
})

test('an endpoint receives the parts that it names, and another one does not compile', (t) => {
  const { get } = section('Account', { scope: 'any', login: 'user', errors: 'plain' })
  const stored: Need<Buffer | undefined, unknown, SignedIn, Uses<'blobs'>> = async ({ blobs }) => E.right(await blobs.get(''))
  const common = { summary: '' }
  const named = get('/file', { ...common, uses: ['blobs'], needs: { stored }, handle: ({ blobs, stored }) => void [blobs, stored] })
  t.deepEqual(named.uses, ['blobs'])
  // @ts-expect-error its handler takes a part that it does not name
  get('/file', { ...common, uses: ['tokens'], handle: ({ blobs }) => void blobs })
  // @ts-expect-error its need takes a part that it does not name
  get('/file', { ...common, needs: { stored }, handle: ({ stored }) => void stored })
  // @ts-expect-error no such part is for endpoints
  get('/file', { ...common, uses: ['mint'], handle: () => undefined })
})
