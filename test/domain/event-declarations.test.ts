import { readFileSync } from 'node:fs'
import test from 'ava'
import * as t from 'io-ts'
import { type EventDefinition, event, field, optional } from '../../src/domain/event.ts'
import { eventDefinitions } from '../../src/domain/events.ts'
import { publicFields } from '../../src/domain/public-mod-log-fields.ts'
import { settingTable } from '../../src/domain/subsite-settings.ts'
import { shownNames } from '../../src/http/contract/setting-names.ts'
import { departureFromSchema, eventValidator } from '../support/event-schemas.ts'
import { everyEvent } from '../support/every-event/every-event.ts'
import { allFields, publicFieldsFile, publicFieldsText } from '../support/public-fields.ts'

const definitions = [...eventDefinitions.values()]

test('an event without a meaning, or with a field without meaning and readers, does not compile', (tt) => {
  const cups = field(t.number, 'How many cups.', 'public')
  tt.is(event('TeaBrewed', 'Somebody brewed tea.', { cups }, { by: 'public' }).fields.cups, cups)
  // @ts-expect-error: no meaning
  tt.truthy(() => event('TeaBrewed', { cups }, { by: 'public' }))
  // @ts-expect-error: nobody says who may read who acted
  tt.truthy(() => event('TeaBrewed', 'Somebody brewed tea.', { cups }))
  // @ts-expect-error: a bare codec
  tt.truthy(() => event('TeaBrewed', 'Somebody brewed tea.', { cups: t.number }, { by: 'public' }))
  // @ts-expect-error: a bare codec that is optional
  tt.truthy(() => event('TeaBrewed', 'Somebody brewed tea.', { cups: optional(t.number) }, { by: 'public' }))
  // @ts-expect-error: no readers
  tt.truthy(() => field(t.number, 'How many cups.'))
})

test('every event and every field has a sentence', (tt) => {
  const isSentence = (text: string) => /^[A-Z`].*[.]$/s.test(text)
  for (const { type, meaning, fields } of definitions) {
    tt.true(isSentence(meaning), `${type}: ${meaning}`)
    for (const { path, field } of allFields(fields)) tt.true(isSentence(field.meaning), `${type} ${path}: ${field.meaning}`)
  }
})

test('fields of records are declared, too', (tt) => {
  const isBare = (codec: t.Mixed): boolean => {
    if ('fields' in codec) return false
    if (codec instanceof t.InterfaceType || codec instanceof t.PartialType || codec instanceof t.ExactType) return true
    if (codec instanceof t.UnionType) return (codec.types as readonly t.Mixed[]).some(isBare)
    return codec instanceof t.ReadonlyArrayType && isBare(codec.type)
  }
  for (const { type, fields } of definitions)
    for (const { path, field } of allFields(fields)) tt.false(isBare(field.codec), `${type} ${path}`)
})

/** Returns whether data has a field; `path` leads through records and lists of records. */
const hasField = (data: unknown, [name, ...rest]: readonly string[]): boolean => {
  if (name === undefined) return true
  if (Array.isArray(data)) return data.some((each) => hasField(each, [name, ...rest]))
  return typeof data === 'object' && data !== null && name in data && hasField(Reflect.get(data, name), rest)
}

test('every optional field occurs in the history in which every event happens: one of a record in any event that has the record', (tt) => {
  const optionals = definitions.flatMap(({ type, fields }) =>
    allFields(fields)
      .filter(({ field }) => field.optional)
      .map(({ path, field }) => {
        const steps = path.split('.')
        const occurs = everyEvent.some((one) => one.type === type && hasField(one.data, steps))
        return { name: `${type}.${path}`, field, isOfRecord: steps.length > 1, occurs }
      }),
  )
  const occurring = new Set(optionals.filter(({ occurs }) => occurs).map(({ field }) => field))
  const missing = optionals.filter(({ field, isOfRecord, occurs }) => !occurs && !(isOfRecord && occurring.has(field)))
  tt.deepEqual(
    missing.map(({ name }) => name),
    [],
  )
})

test('a field for the accounts concerned is in an event that names them', (tt) => {
  for (const { type, fields, by } of definitions) {
    const all = allFields(fields)
    const isFor = by === 'party' || all.some(({ readers }) => readers === 'party')
    if (isFor)
      tt.true(
        all.some(({ field }) => field.party),
        type,
      )
  }
})

/** Categories of streams that tell what an account does for itself. */
const ownAffairs = [
  ...['vote', 'shelf', 'message', 'inbox', 'mailbox', 'contact', 'avoidance', 'subscription', 'preferences', 'credits', 'report', 'multi'],
]
const categoryOf = (stream: string) => stream.slice(0, stream.indexOf('-'))

test('no event of what an account does for itself shows everybody who acted', (tt) => {
  const own = everyEvent.filter(({ stream }) => ownAffairs.includes(categoryOf(stream)))
  tt.deepEqual([...new Set(own.map(({ stream }) => categoryOf(stream)))].toSorted(), ownAffairs.toSorted())
  for (const { type, by, data } of own) {
    const { by: readers, fields } = eventDefinitions.get(type) as EventDefinition
    tt.not(readers, 'public', type)
    for (const [name, one] of Object.entries(fields))
      if (one.party || (by.account !== null && Reflect.get(data, name) === by.account && name !== 'author'))
        tt.not(one.readers, 'public', `${type} ${name}`)
  }
})

test('what everybody reads of an act of moderation is public in its declaration, too', (tt) => {
  for (const [type, names] of Object.entries(publicFields)) {
    const definition = eventDefinitions.get(type) as EventDefinition
    tt.is(definition.by, 'public', type)
    for (const name of names) tt.is(definition.fields[name]?.readers, 'public', `${type} ${name}`)
  }
})

test('a setting that the record of a subsite shows is public', (tt) => {
  for (const [setting] of shownNames) tt.is(settingTable[setting].readers, 'public', setting)
})

test('what is public is what the golden file says: whoever changes it shows that in review (npm run generate)', (tt) => {
  tt.is(publicFieldsText(), readFileSync(publicFieldsFile, 'utf8'))
})

test('each event fits its schema, and nothing else does', (tt) => {
  for (const definition of definitions) {
    const { type } = definition
    const validate = eventValidator(type)
    const happened = everyEvent.filter((one) => one.type === type)
    tt.true(happened.length > 0, type)
    for (const one of happened) {
      const { data } = one
      tt.is(departureFromSchema(one), undefined)
      const [name = ''] = Object.keys(data).filter((each) => definition.fields[each]?.optional === false)
      const { [name]: _, ...rest } = data as Readonly<Record<string, unknown>>
      tt.false(validate({ ...one, data: rest }), `${type} without ${name}`)
      tt.true(validate({ ...one, data: rest, withheld: [name] }), `${type} with ${name} withheld`)
      tt.false(validate({ ...one, data: { ...data, tea: 1 } }), `${type} with more`)
    }
  }
})
