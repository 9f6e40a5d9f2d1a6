import { envelopeFields, servedFields } from '../src/domain/envelope-fields.ts'
import { type EventDefinition, type EventField, fieldsWithin, type Readers, readersWithin } from '../src/domain/event.ts'
import { eventDefinitions, type Logged } from '../src/domain/events.ts'
import { everyEvent } from '../test/support/every-event/every-event.ts'

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

const valueAt = (data: object, path: string): unknown =>
  path
    .split('.')
    .reduce((value: unknown, name) => (typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined), data)

/** The name of a codec without those of the classes that make it. */
const typeName = ({ name }: EventField['codec']): string =>
  cell(name.replaceAll('SealedText', 'text').replaceAll(/ReadonlyArray<(.*)>/g, 'list of $1'))

type Shown = { readonly sealed: ReadonlySet<string>; readonly within: Readers; readonly prefix: string }

const rowsOf = (fields: EventDefinition['fields'], { sealed, within, prefix }: Shown): readonly string[] =>
  Object.entries(fields).flatMap(([name, { codec, optional, meaning, unit, readers: declared, party }]) => {
    const path = `${prefix}${name}`
    const readers = readersWithin(within, declared)
    const facts = [typeName(codec), unit ?? '', optional ? 'optional' : '', sealed.has(path) ? 'sealed' : '', party ? 'a party' : '']
    const row = `| \`${path}\` | ${cell(meaning)} | ${facts.filter((fact) => fact !== '').join(', ')} | ${readers} |`
    return [row, ...rowsOf(fieldsWithin(codec) ?? {}, { sealed, within: readers, prefix: `${path}.` })]
  })

const table = (rows: readonly string[]): string => ['| field | | type | readers |', '|---|---|---|---|', ...rows].join('\n')

/**
 * Describes a part of the names of streams, by the fields that have its value in all these events, or by its value if that is the same in
 * all of them.
 */
const partOf = (events: readonly Logged[], paths: readonly string[], partIn: (event: Logged) => string | undefined): string => {
  const isIt = (path: string) => events.every((event) => String(valueAt(event.data, path)).toLowerCase() === partIn(event)?.toLowerCase())
  const path = paths.find(isIt)
  return path === undefined ? ((events[0] && partIn(events[0])) ?? '') : `<${path}>`
}

const streamOf = (events: readonly Logged[], paths: readonly string[]): string => {
  const [category = '', id = ''] = (events[0]?.stream ?? '').split(/-(.*)/)
  const partsOf = ({ stream }: Logged) => stream.slice(category.length + 1).split('.')
  return `${category}-${id
    .split('.')
    .map((_, i) => partOf(events, paths, (event) => partsOf(event)[i]))
    .join('.')}`
}

const sealingOf = ({ sealedPaths }: EventDefinition): string => {
  const keys = [
    ...new Set(
      sealedPaths.map(({ path, subject }) => (subject === '@by' ? 'of who acted' : `of \`${[...path.slice(0, -1), subject].join('.')}\``)),
    ),
  ]
  return keys.length === 0 ? 'No texts are sealed.' : `Texts are sealed under the key ${keys.join(' or ')}.`
}

/** Returns the shortest of the events with the most fields. */
const exampleOf = (events: readonly Logged[]): string => {
  const [event] = events.toSorted((a, b) => {
    const size = ({ data }: Logged) => Object.keys(data).length
    return size(b) - size(a) || JSON.stringify(a.data).length - JSON.stringify(b.data).length
  })
  if (!event) throw new Error('test/support/every-event has not every event')
  const { type, at, stream, revision, by, data } = event
  const lines = Object.entries({ type, at, stream, revision, by, data }).map(
    ([name, value]) => ` ${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  )
  return `\`\`\`json\n{\n${lines.join(',\n')}\n}\n\`\`\``
}

const pathsOf = (fields: EventDefinition['fields'], prefix = ''): readonly string[] =>
  Object.entries(fields).flatMap(([name, { codec }]) => [`${prefix}${name}`, ...pathsOf(fieldsWithin(codec) ?? {}, `${prefix}${name}.`)])

const eventText = (definition: EventDefinition): string => {
  const { type, meaning, fields, by, sealedPaths, upcasts } = definition
  const events = everyEvent.filter((event) => event.type === type)
  const sealed = new Set(sealedPaths.map(({ path }) => path.join('.')))
  const facts = [
    `In \`${streamOf(events, pathsOf(fields))}\`.`,
    sealingOf(definition),
    `Who acted: ${by}.`,
    ...(upcasts.length === 0 ? [] : [`Version ${upcasts.length + 1} of its schema.`]),
  ]
  return [`## ${type}`, meaning, facts.join(' '), table(rowsOf(fields, { sealed, within: 'public', prefix: '' })), exampleOf(events)].join(
    '\n\n',
  )
}

const envelopeRows = Object.entries(envelopeFields).flatMap(([name, { codec, meaning, unit, readers }]) => {
  const facts = [typeName(codec), unit ?? ''].filter((fact) => fact !== '').join(', ')
  const inner = readers === 'by' ? 'public' : readers
  return [
    `| \`${name}\` | ${cell(meaning)} | ${facts} | ${readers === 'by' ? 'who acted' : readers} |`,
    ...rowsOf(fieldsWithin(codec) ?? {}, { sealed: new Set(), within: inner, prefix: `${name}.` }),
  ]
})

const about = [
  'Everything that changes is one of these events, in the order in which it happened. The same as JSON Schema (2020-12), for programs: `/history/schemas`.',
  'Who reads a field: `public`, everybody; `subsite`, the moderators of its subsite; `party`, the accounts that the event concerns, which the fields that are *a party* name; `admins`. Admins read all of them. What is `public` is still not shown of what is private, removed, deleted or erased: that is judged when it is read. “Who acted” says who reads `by`, and with it `id`, `stream` and `revision`, which tell as much.',
  'A sealed text is encrypted in the log, under the key of an account and of the thing that it is a text of. Erasing either makes it unreadable: it reads `[erased]`. What the service itself wrote is not sealed.',
  'The examples are from a history in which everything happens, with shorter ids than real ones.',
]

export const eventsText = (note: string): string =>
  [
    '# Events',
    note,
    ...about,
    '## Every event',
    table(envelopeRows),
    'Where events are followed or exported, they also have these:',
    table(rowsOf(servedFields, { sealed: new Set(), within: 'public', prefix: '' })),
    ...[...eventDefinitions.values()].map(eventText),
  ].join('\n\n')
