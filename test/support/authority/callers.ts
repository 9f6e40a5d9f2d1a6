import { FULL } from '../full.ts'
import { type Role, roles } from './roles.ts'
import { type Row, writes } from './row.ts'
import { rowsOf } from './rows.ts'

/** Each row takes a third of a second for all roles, and seconds on servers. */
const ONE_IN = 5

/** Returns the rows of each section of the interface. */
const sections = (): ReadonlyMap<string, readonly Row[]> => {
  const found = new Map<string, readonly Row[]>()
  for (const { section, method, path } of writes) found.set(section, [...(found.get(section) ?? []), ...rowsOf(`${method} ${path}`)])
  return found
}

/** Chooses one in five roles for a row, other ones than for the row before, and always one that may do it. */
const someOf = ({ by }: Row, place: number): readonly Role[] => {
  const some = roles.filter((_, index) => (index + place) % ONE_IN === 0)
  const one = by[place % by.length]
  return one === undefined || by.some((role) => some.includes(role)) ? some : [...some, one]
}

/**
 * Returns the roles that call what each row says, by section: all of them with `FULL_FAULTS=1`, else a part of them, chosen so that every
 * role still calls something in every section.
 */
export const callersBySection = (): ReadonlyMap<string, ReadonlyMap<Row, readonly Role[]>> => {
  const callersOf = (rows: readonly Row[]) => (row: Row, place: number) =>
    [row, !FULL && rows.length >= ONE_IN ? someOf(row, place) : roles] as const
  return new Map([...sections()].map(([section, rows]) => [section, new Map(rows.map(callersOf(rows)))]))
}
