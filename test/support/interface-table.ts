import { readFileSync } from 'node:fs'
import type { AnyEndpoint } from '../../src/http/contract/endpoint.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'

/** A row of the specification's table of endpoints. */
export type Row = {
  readonly section: string
  readonly method: string
  readonly path: string
  readonly scope: string
  readonly listing: boolean
  readonly modhash: boolean
  readonly api_type: boolean
  readonly rss: boolean
  readonly values?: Readonly<Record<string, readonly string[]>>
  readonly aliases?: readonly string[]
}

const fixture = <T>(name: string): T => JSON.parse(readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8')) as T

/** The specification's table. */
export const rows = fixture<readonly Row[]>('endpoints.json')
/** Endpoints beyond the table, without which nothing works. */
export const additions: ReadonlySet<string> = new Set(fixture<readonly string[]>('additions.json'))

type Parameters = {
  readonly everywhere: readonly string[]
  readonly listings: readonly string[]
  readonly rows: Readonly<Record<string, readonly string[]>>
  readonly members: Readonly<Record<string, readonly string[]>>
}
const parameters = fixture<Parameters>('parameters.json')

/** The parameters of the listing protocol. */
export const ofListings = parameters.listings

/** The members of the JSON objects that rows take, as a body or as the parameter `model`. */
export const members = parameters.members

export const nameOf = ({ method, path }: { readonly method: string; readonly path: string }) => `${method} ${path}`

/** The endpoints that are served, by name. */
export const declared: ReadonlyMap<string, AnyEndpoint> = new Map(endpoints.map((endpoint) => [nameOf(endpoint), endpoint]))

/** The parameters that the specification names for a row, in its text and by its marks; the variables of its path are not among them. */
export const parametersOf = (row: Row): readonly string[] => [
  ...(parameters.rows[nameOf(row)] ?? []),
  ...(row.listing ? ofListings : []),
  ...(row.modhash ? ['uh'] : []),
  ...(row.api_type ? ['api_type'] : []),
  ...parameters.everywhere,
]

/** Everything a row asks for, each with a name of its own: the endpoint, each closed value, the feed. */
export const partsOf = (row: Row): readonly { readonly name: string; readonly served: boolean }[] => {
  const endpoint = declared.get(nameOf(row))
  const values = Object.entries(row.values ?? {}).flatMap(([variable, choices]) =>
    choices.map((choice) => ({
      name: `${nameOf(row)} ${variable}=${choice}`,
      served: endpoint?.values?.[variable]?.includes(choice) ?? false,
    })),
  )
  const feed = row.rss ? [{ name: `${nameOf(row)} .rss`, served: endpoint?.rss ?? false }] : []
  return endpoint ? [...values, ...feed] : [{ name: nameOf(row), served: false }]
}

/** Per section of the specification: its rows, and how many of them are served with all their values and feeds, or in part. */
export const completeness = () =>
  [...new Set(rows.map(({ section }) => section))].map((section) => {
    const sectionRows = rows.filter((row) => row.section === section)
    const served = sectionRows.filter((row) => declared.has(nameOf(row)))
    const complete = served.filter((row) => partsOf(row).every((part) => part.served)).length
    return { section, rows: sectionRows.length, complete, partly: served.length - complete }
  })
