import * as t from 'io-ts'
import { type EventDefinition, fieldsWithin, type Readers } from '../domain/event.ts'

/** The type of a column. `json` holds values of several types, as JSON text. */
export type ColumnType =
  | 'text'
  | 'integer'
  | 'real'
  | 'boolean'
  | 'time'
  | 'json'
  | { readonly list: ColumnType }
  | { readonly record: readonly Column[] }

export type Column = {
  readonly name: string
  /** The field of the document that the column shows; absent if both have the same name. */
  readonly field?: string
  readonly type: ColumnType
  readonly meaning: string
  readonly unit?: string | undefined
  readonly readers: Readers
  /** True if some rows show it to everybody. */
  readonly sometimesPublic?: boolean
}

const TIME = 'milliseconds since 1970'

const scalars: Readonly<Record<string, ColumnType>> = {
  StringType: 'text',
  SealedText: 'text',
  KeyofType: 'text',
  NumberType: 'integer', // the log stores no others
  BooleanType: 'boolean',
}

const literalTypes: Readonly<Record<string, ColumnType>> = { string: 'text', number: 'integer', boolean: 'boolean' }

const ofUnion = (members: readonly t.Mixed[], unit: string | undefined): ColumnType => {
  const types = members.filter((member) => !(member instanceof t.NullType)).map((member) => columnType(member, unit))
  const [first = 'json'] = types
  return types.every((type) => type === first) ? first : 'json'
}

/** Returns the type of a column from the codec of its values. It is declared, and never depends on the actual values. */
const columnType = (codec: t.Mixed, unit?: string): ColumnType => {
  if ('fields' in codec) return { record: columnsOf(fieldsWithin(codec) ?? {}) }
  if (codec instanceof t.ReadonlyArrayType || codec instanceof t.ArrayType) return { list: columnType(codec.type, unit) }
  if (codec instanceof t.ReadonlyType || codec instanceof t.ExactType) return columnType(codec.type, unit)
  if (codec instanceof t.UnionType) return ofUnion(codec.types, unit)
  if (codec instanceof t.InterfaceType) {
    const fields = Object.entries(codec.props as t.Props)
    return { record: fields.map(([name, codec]) => ({ name, type: columnType(codec), meaning: '', readers: 'admins' })) }
  }
  if (codec instanceof t.LiteralType) return literalTypes[typeof codec.value] ?? 'json'
  const tag = '_tag' in codec ? String(codec._tag) : undefined
  // the codecs of fullnames (ids.ts) are none of io-ts and have no tag
  const type = tag === undefined && codec.name.endsWith(' fullname') ? 'text' : scalars[tag ?? '']
  if (type === undefined) throw new Error(`no column type is declared for the codec ${codec.name}`)
  return type === 'integer' && unit === TIME ? 'time' : type
}

type Fields = EventDefinition['fields']

const columnsOf = (fields: Fields): readonly Column[] =>
  Object.entries(fields).map(([name, { codec, meaning, unit, readers, sometimesPublic }]) => ({
    name,
    type: columnType(codec, unit),
    meaning,
    unit,
    readers,
    sometimesPublic,
  }))

/** Returns the columns of an event's data. */
export const dataColumns = ({ fields }: Pick<EventDefinition, 'fields'>): readonly Column[] => columnsOf(fields)

const membersOf = (type: ColumnType): readonly Column[] => {
  if (typeof type === 'string') return []
  return 'list' in type ? membersOf(type.list) : type.record
}

const narrowType = (type: ColumnType): ColumnType => {
  if (typeof type === 'string') return type
  return 'list' in type ? { list: narrowType(type.list) } : { record: publicOnly(type.record) }
}

/** Returns the parts of columns that everybody may read. A record of which nothing is left is left out. */
export const publicOnly = (columns: readonly Column[]): readonly Column[] =>
  columns
    .filter(({ readers, sometimesPublic }) => readers === 'public' || sometimesPublic)
    .map((column) => ({ ...column, type: narrowType(column.type) }))
    .filter(({ type }) => typeof type === 'string' || !('record' in type) || membersOf(type).length > 0)

/** Returns a type as people read it: `text`, `list of text`, `record`. */
const typeText = (type: ColumnType): string => {
  if (typeof type === 'string') return type
  return 'list' in type ? `list of ${typeText(type.list)}` : 'record'
}

/** Lists columns and the members of their records, by their paths. */
export const listColumns = (columns: readonly Column[], prefix = ''): readonly (Omit<Column, 'type'> & { readonly type: string })[] =>
  columns.flatMap((column) => {
    const name = `${prefix}${column.name}`
    return [{ ...column, name, type: typeText(column.type) }, ...listColumns(membersOf(column.type), `${name}.`)]
  })

const column = (name: string, type: ColumnType, meaning: string, unit?: string): Column => ({
  name,
  type,
  meaning,
  unit,
  readers: 'public',
})

/** The first columns of every table of events. */
const identity = [
  column('n', 'integer', 'The number of the event: its place in the whole log, from 0.'),
  column('time', 'time', 'When it happened.'),
]
const acting = [
  column('actor', 'text', 'The account that acted; null for the service itself, and where that is not told.'),
  column('actor_as', 'text', 'In which capacity: user, moderator, admin or system.'),
  column('schema', 'integer', 'The number of the schema that its data has here.'),
  column('event_hash', 'text', 'The hash of the event as it is stored.'),
]

/** The columns of the table `events`. */
export const envelopeColumns: readonly Column[] = [
  ...identity,
  column('type', 'text', 'The name of the event, and of the table that has its data.'),
  ...acting,
  column('id', 'text', 'Its id.'),
  column('stream', 'text', 'The stream that it is in.'),
  column('revision', 'integer', 'Its place in that stream, from 0.'),
  column('position', 'text', 'Where it is in the log of this store; compared as text, and without meaning elsewhere.'),
  column('command_id', 'text', 'The command that it is of.'),
  column('correlation_id', 'text', 'The command at the root of what caused it.'),
  column('causation_id', 'text', 'What caused it: an event, or the command itself.'),
  column('seen', 'json', 'The revisions of other streams that were read for the decision.'),
  column('withheld', { list: 'text' }, 'The fields of its data that are left out here.'),
]

/** Returns a field's name as tables have it: in snake case, as SQL is written. */
export const columnName = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const snakeType = (type: ColumnType): ColumnType => {
  if (typeof type === 'string') return type
  return 'list' in type ? { list: snakeType(type.list) } : { record: type.record.map(snakeColumn) }
}
const snakeColumn = (column: Column): Column => ({
  ...column,
  name: columnName(column.name),
  field: column.name,
  type: snakeType(column.type),
})

/** Returns the columns of the table of one type of event. */
export const tableColumns = (data: readonly Column[]): readonly Column[] => [...identity, ...acting, ...data.map(snakeColumn)]
