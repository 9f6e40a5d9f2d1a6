import { type EventField, fieldsWithin, type Readers, readersWithin } from '../../src/domain/event.ts'
import { eventDefinitions } from '../../src/domain/events.ts'

type DeclaredField = { readonly path: string; readonly field: EventField; readonly readers: Readers }

/** All fields of an event, those of its records included, with who may read them. */
export const allFields = (
  fields: Readonly<Record<string, EventField>>,
  prefix = '',
  within: Readers = 'public',
): readonly DeclaredField[] =>
  Object.entries(fields).flatMap(([name, field]) => {
    const readers = readersWithin(within, field.readers)
    const path = `${prefix}${name}`
    return [{ path, field, readers }, ...allFields(fieldsWithin(field.codec) ?? {}, `${path}.`, readers)]
  })

export const publicFieldsFile = new URL('../fixtures/public-fields.txt', import.meta.url)

/** A line for each event: what of it everybody may read beside its type and time. */
export const publicFieldsText = (): string =>
  [...eventDefinitions.values()]
    .map(({ type, by, fields }) => {
      const open = allFields(fields).filter(({ readers }) => readers === 'public')
      return `${[`${type}:`, ...(by === 'public' ? ['by'] : []), ...open.map(({ path }) => path)].join(' ')}\n`
    })
    .join('')
