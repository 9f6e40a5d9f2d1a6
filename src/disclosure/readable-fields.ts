import { type EventDefinition, fieldsWithin, type Readers } from '../domain/event.ts'
import { isRecord, type Json } from '../domain/json.ts'

type DeclaredFields = EventDefinition['fields']

/** Fields of an event's data that some reader may read, and the names of the others, such as `voter` or `before.note`. */
export type ReadableFields = { readonly data: Json; readonly withheld: readonly string[] }

/**
 * Returns the fields that are declared for readers of these kinds. The declaration names the withheld ones, so that nobody learns from the
 * names whether an optional field is there.
 */
export const readableFields = (fields: DeclaredFields, data: Json, reads: (readers: Readers) => boolean, within = ''): ReadableFields => {
  const shown: Record<string, unknown> = {}
  const withheld: string[] = []
  for (const [name, { codec, readers }] of Object.entries(fields)) {
    if (!reads(readers)) {
      withheld.push(within + name)
      continue
    }
    const inner = fieldsWithin(codec)
    const value = data[name]
    if (inner === undefined) {
      if (value !== undefined) shown[name] = value
      continue
    }
    const readRecord = (record: unknown) => readableFields(inner, isRecord(record) ? record : {}, reads, `${within}${name}.`)
    withheld.push(...readRecord(undefined).withheld)
    if (value !== undefined)
      shown[name] = Array.isArray(value) ? value.map((one) => readRecord(one).data) : isRecord(value) ? readRecord(value).data : value
  }
  return { data: shown, withheld }
}

/** Returns the accounts that an event concerns: those named by fields that are marked so. */
export const partiesTo = (fields: DeclaredFields, data: Json): readonly string[] =>
  Object.entries(fields).flatMap(([name, { codec, party }]) => {
    const value = data[name]
    const inner = fieldsWithin(codec)
    if (inner) return (Array.isArray(value) ? value : [value]).flatMap((one) => (isRecord(one) ? partiesTo(inner, one) : []))
    if (!party) return []
    return (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string')
  })
