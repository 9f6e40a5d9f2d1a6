import test from 'ava'
import type { AnyEndpoint } from '../../src/http/contract/endpoint.ts'
import { codec } from '../../src/log/codec.ts'
import { openKeyring } from '../../src/log/keys.ts'
import { ask, openAsking } from '../support/authority/asking.ts'
import { type Fields, type Row, writes } from '../support/authority/row.ts'
import { rowsOf } from '../support/authority/rows.ts'
import { startStage } from '../support/authority/stage.ts'
import { isBy } from '../support/authority/trace.ts'
import { postForm } from '../support/community.ts'
import { nameOf, rows as table } from '../support/interface-table.ts'
import { isShownElsewhere, isWithoutEffect, reads, variations } from '../support/parameter-variations.ts'

// Every parameter of what changes something changes an answer or what is recorded; test/http/parameters.test.ts has those of reads.

const stage = await startStage()
test.after.always(() => stage.site.stop())
const prepare = openAsking(stage)
const { events } = stage.site.running.stores

const opened = codec(openKeyring(stage.site.running.stores.vault)).open

/** The parts of a result that differ between any two calls. */
const passing =
  /t\d_[0-9a-z]+|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{64}|\b(?=[a-z]*\d)[0-9a-z]{10}\b|\d{10,}|(?<="balance":)\d+|(?<=\b(?:somebody|img|page|flair |rule |Tea |old |new |top: ?|of|copy|by \w+ ))\d+/g

/** A call by somebody who may make it. */
const call = async (endpoint: AnyEndpoint, row: Row, change: (form: Fields) => Fields) => {
  const asking = await prepare(endpoint, row, row.by.includes('founder') ? 'founder' : (row.by[0] ?? 'founder'))
  const before = await events.head()
  const answer = await ask(endpoint, row, asking, (form) => change({ api_type: 'json', ...form }))
  const recorded = await opened((await events.readAll(before, 1_000)).filter(isBy(asking.self)))
  return { answer, recorded }
}

/** The result: the response, and what is recorded. */
const outcome = async (endpoint: AnyEndpoint, row: Row, change: (form: Fields) => Fields): Promise<string> => {
  const { answer, recorded } = await call(endpoint, row, change)
  return JSON.stringify([answer.status, answer.body, recorded.map(({ type, data }) => [type, data])]).replace(passing, '*')
}

/** A call with a parameter, and one without it or with another value of it. */
const both = (name: string, param: string, first: Row): readonly [Row, (form: Fields) => Fields, (form: Fields) => Fields] | undefined => {
  const variation = variations[name]?.[param]
  if (!variation) return [first, (form) => form, ({ [param]: _, ...form }) => form]
  const { value, otherwise, what, base = {} } = variation
  const row = what === undefined ? first : rowsOf(name).find((one) => one.what === what)
  return (
    row && [
      row,
      (form) => ({ ...form, ...base, [param]: value }),
      ({ [param]: _, ...form }) => ({ ...form, ...base, ...(otherwise !== undefined && { [param]: otherwise }) }),
    ]
  )
}

const inTable = new Map(table.map((row) => [nameOf(row), row]))

for (const endpoint of writes.filter((one) => inTable.has(nameOf(one)))) {
  const name = nameOf(endpoint)
  const [first] = rowsOf(name)
  const params = Object.keys(endpoint.params).filter(
    (param) => !endpoint.path.includes(`{${param}}`) && !isShownElsewhere(name, param) && !isWithoutEffect(name, param),
  )
  if (params.length > 0 && !reads.has(name))
    test.serial(`${name}: each parameter changes the result: ${params.join(', ')}`, async (t) => {
      if (!first) return t.fail('it has no row here')
      await postForm(stage.root, '/api/v1/gold/grant/founder', { csites: 5 })
      const same = (form: Fields) => form
      for (let n = 0; n < 2; n += 1) await outcome(endpoint, first, same) // slots fill up, names are taken
      t.is(await outcome(endpoint, first, same), await outcome(endpoint, first, same), 'the same call comes to the same')
      for (const param of params) {
        const [row, given, otherwise] = both(name, param, first) ?? []
        if (!row || !given || !otherwise) t.fail(`${param}: there is no such row`)
        else {
          const difference = `${param}: test/support/parameter-variations.ts, or the row, needs a value that makes a difference`
          t.not(await outcome(endpoint, row, given), await outcome(endpoint, row, otherwise), difference)
        }
      }
    })
}

/** Parameters that are refused when absent only because of what else is sent. */
const sometimesRequired: ReadonlySet<string> = new Set([
  'POST /api/site_admin sr',
  'POST /api/erase_user name',
  'POST [/s/{sub}]/api/flair name',
  'POST [/s/{sub}]/api/selectflair name',
  'POST [/s/{sub}]/api/unfriend name',
  'POST /api/multi/copy to',
])

for (const endpoint of writes) {
  const name = `${endpoint.method} ${endpoint.path}`
  const [first] = rowsOf(name)
  const form = first?.by.length ? first.form : undefined
  if (first && form)
    test.serial(`${name}: a parameter that is refused when absent is documented as required`, async (t) => {
      for (const param of Object.keys(form('', stage.founder))) {
        if (sometimesRequired.has(`${name} ${param}`)) continue
        const { answer, recorded } = await call(endpoint, first, ({ [param]: _, ...others }) => others)
        const errors = answer.status < 400 ? answer.at('json.errors') : undefined
        const isRefused = answer.status >= 400 || (Array.isArray(errors) && errors.length > 0)
        if (endpoint.params[param]?.required) t.deepEqual(recorded, [], `${param} is not needed: ${answer.text}`)
        else t.false(isRefused, `${param}: ${answer.text}`)
      }
    })
}
