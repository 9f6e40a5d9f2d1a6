import type { Encoding } from '../contract/incoming.ts'
import * as shape from '../contract/schemas/schema.ts'
import { encode, Fragment, SharedFragment, shareMembers } from '../wire/json-writing.ts'

/*
 * Records that most viewers see alike: links and comments. Each field is a row of a table, and the table says for whom its values are the
 * same, so that a value is written once for everybody who shares it. Rows of a table receive nothing else, which the compiler checks.
 */

/** A fact about the viewer: its schema, the fact, and the value where it does not hold, false if absent. */
type FlagRow<Viewer> = readonly [schema: shape.SchemaOrComponent, holds: (viewer: Viewer) => boolean, otherwise?: null]

/** Fields that have one of two values for each viewer. */
export type Flags<Viewer> = Readonly<Record<string, FlagRow<Viewer>>>

/**
 * A table of what differs by viewer. `flags`: facts. `own`: any values, made of the document, of flags, and of what only some viewers are
 * told, which is the same for all others.
 */
type ViewerTable<Viewer, Own> = { readonly flags: Flags<Viewer> } | { readonly own: shape.RecordTable<Own> }

/** The tables of a record in the order in which their fields are written. */
type RecordTables<Shared, Viewer, Own> = {
  /** Fields that are the same for all viewers. */
  readonly shared: shape.RecordTable<Shared>
  readonly viewed: readonly ViewerTable<Viewer, Own>[]
}

type RecordText<Shared, Told> = {
  /** The text of a record up to its first field. */
  readonly start: string
  /** The text after the last of these fields. */
  readonly end: string
  /** Reports whether both make the same shared fields of one document. */
  readonly isSame: (one: Shared, other: Shared) => boolean
  /** The part that viewers see who see nothing special. */
  readonly usual: Told
}

/** Returns the schemas of the fields of a record. */
export const recordFields = ({ shared, viewed }: RecordTables<never, never, never>): shape.Fields => {
  const fields: Record<string, shape.SchemaOrComponent | shape.Optional> = {}
  for (const table of [shared, ...viewed.map((one) => ('flags' in one ? one.flags : one.own))])
    for (const [name, [schema]] of Object.entries(table)) fields[name] = schema
  return fields
}

type Written<Shared> = {
  shared: Shared
  readonly members: Fragment
  /** Records for viewers who are told nothing special, by their flags as bits. */
  readonly variants: Map<number, SharedFragment>
}

const MAX_VARIANTS = 4

/**
 * Returns a function that tells which of some facts hold, the first in the highest bit. Its code is generated and contains numbers only. It
 * calls each test in a place of its own, where V8 inlines it; a loop takes a twentieth of the time of a page of comments longer.
 */
const bitsWriter = <Viewer>(tests: readonly ((viewer: Viewer) => boolean)[]): ((viewer: Viewer) => number) => {
  const names = tests.map((_, n) => `test${n}`)
  const terms = names.map((name, n) => `(${name}(viewer) ? ${2 ** (tests.length - 1 - n)} : 0)`)
  return new Function(...names, `return (viewer) => ${terms.join(' | ')}`)(...tests)
}

const memoize = <Result>(make: (bits: number) => Result): ((bits: number) => Result) => {
  const results = new Map<number, Result>()
  return (bits) => {
    const known = results.get(bits)
    if (known !== undefined) return known
    const fresh = make(bits)
    results.set(bits, fresh)
    return fresh
  }
}

/** Returns the JSON of a value; that of constants and integers without a call of JSON.stringify, which takes longer than all else. */
const jsonOf = (value: unknown): string =>
  value === null || typeof value === 'boolean' || typeof value === 'number' ? String(value) : JSON.stringify(value)

/** Returns the writer of a record: of what all share, of the viewer, and of what only some are told. */
export const recordWriter = <
  Shared extends { readonly thing: object; readonly subsite: object },
  Viewer,
  Told extends object,
  Own extends Shared & Told = Shared & Told,
>({
  shared: table,
  viewed,
  start,
  end,
  isSame,
  usual,
}: RecordTables<Shared, Viewer, Own> & RecordText<Shared, Told>): ((
  shared: Shared,
  viewer: Viewer,
  extras: Told | undefined,
) => Fragment) => {
  const flags = viewed.flatMap((one) => ('flags' in one ? Object.entries(one.flags) : []))
  const bitsOf = bitsWriter(flags.map(([, [, holds]]) => holds))
  // a document at one position is one object, so that what was written of it stays with it
  const known = new WeakMap<object, Written<Shared>>()

  // there are few combinations of flags, and each table of them is written once for every combination
  const flagsOf = memoize(
    (bits: number): Readonly<Record<string, boolean>> =>
      Object.fromEntries(flags.map(([name], n) => [name, ((bits >> (flags.length - 1 - n)) & 1) === 1])),
  )
  const writers = viewed.map((one): ((own: Own, bits: number) => string) => {
    if ('own' in one) {
      const rows = Object.entries(one.own).map(([name, [, value]]) => [`,"${name}":`, value] as const)
      return (own) => {
        let text = ''
        for (const [name, read] of rows) {
          const value = read(own)
          if (value !== undefined) text += name + jsonOf(value)
        }
        return text
      }
    }
    const rows = Object.entries(one.flags)
    const textOf = memoize((bits: number) =>
      rows.map(([name, [, , fallback = false]]) => `,"${name}":${flagsOf(bits)[name] || fallback}`).join(''),
    )
    return (_, bits) => textOf(bits)
  })

  const writeViewed = (shared: Shared, bits: number, extras: Told, encoding: Encoding): string => {
    const record = { ...shared, ...extras, flags: flagsOf(bits) } as unknown as Own
    let text = ''
    for (const write of writers) text += write(record, bits)
    return encode(text, encoding)
  }

  const write = (shared: Shared): Written<Shared> => {
    const written = { shared, members: shareMembers(() => shape.valuesOf(table, shared)), variants: new Map() }
    known.set(shared.thing, written)
    return written
  }

  const writtenOf = (shared: Shared): Written<Shared> => {
    const written = known.get(shared.thing)
    if (!written || !isSame(written.shared, shared)) return write(shared)
    // keeps no subsite of the past
    if (written.shared.subsite !== shared.subsite) written.shared = shared
    return written
  }

  return (shared, viewer, extras) => {
    const written = writtenOf(shared)
    const { members, variants } = written
    const bits = bitsOf(viewer)
    if (extras) return new Fragment((encoding) => [start, members, `${writeViewed(shared, bits, extras, encoding)}${end}`])
    const variant = variants.get(bits)
    if (variant) return variant
    if (variants.size >= MAX_VARIANTS) variants.clear()
    const fragment = new SharedFragment(
      (encoding) => `${start}${members.text(encoding)}${writeViewed(written.shared, bits, usual, encoding)}${end}`,
    )
    variants.set(bits, fragment)
    return fragment
  }
}
