import test from 'ava'
import {
  flag,
  integer,
  optional,
  orNull,
  type RecordTable,
  recordSchema,
  tableShape,
  text,
  valuesOf,
} from '../../src/http/contract/schemas/schema.ts'

type Kettle = { readonly name: string; readonly litres: number; readonly note: string | undefined }

const fields: RecordTable<Kettle> = {
  name: [text('brass'), ({ name }) => name],
  litres: [integer(2), ({ litres }) => litres],
  maker: [orNull(text('ann')), () => null],
  note: [optional(text('old')), ({ note }) => note],
}

test('a table of fields is a closed object as a schema, and the same fields as a value', (t) => {
  const { name, schema } = tableShape('Kettle', fields)
  t.is(name, 'Kettle')
  t.deepEqual(schema(), recordSchema({ name: text('brass'), litres: integer(2), maker: orNull(text('ann')), note: optional(text('old')) }))
  t.deepEqual(valuesOf(fields, { name: 'iron', litres: 3, note: 'dented' }), { name: 'iron', litres: 3, maker: null, note: 'dented' })
})

test('a field without a value does not compile, unless it is optional', (t) => {
  const wrong: readonly RecordTable<Kettle>[] = [
    // @ts-expect-error it has a schema alone
    { lid: [flag] },
    // @ts-expect-error it has a value alone
    { lid: [({ name }) => name] },
    // @ts-expect-error it may be missing and is not optional
    { note: [text(), ({ note }) => note] },
    // @ts-expect-error there is nothing of this name to show
    { lid: [flag, ({ lid }) => lid] },
  ]
  t.is(wrong.length, 4)
  t.is(JSON.stringify(valuesOf(fields, { name: 'iron', litres: 3, note: undefined })), '{"name":"iron","litres":3,"maker":null}')
})
