import test from 'ava'
import { startCast } from './cast.ts'
import { found, names } from './posting.ts'
import { servers } from './shape.ts'
import type { Caller } from './site.ts'

/** A stand-in for MongoDB may have no text search. */
const searches = servers === undefined
export const searching = searches ? test : test.skip

type Searched = Awaited<ReturnType<typeof startCast<'ann' | 'bob' | 'carol' | 'dave'>>>

/** A site with the subsites tea and milk. */
export const startSearched = async (): Promise<Searched> => {
  const cast = await startCast(['ann', 'bob', 'carol', 'dave'])
  await found(cast.ann, 'tea', { title: 'All about leaves' })
  await found(cast.ann, 'milk')
  return cast
}

/** The same for a file in which every test is `searching`: no site where all are skipped, since no hook would run to stop it. */
export const startIfSearched = async (): Promise<Searched> => (searches ? startSearched() : ({} as Searched))

export const addressOf = (q: string, more: Readonly<Record<string, string>> = {}) => `/search?${new URLSearchParams({ q, ...more })}`

/** The fullnames that a search finds, by a viewer. */
export const findBy =
  (site: Caller) =>
  async (q: string, more: Readonly<Record<string, string>> = {}, reader: Caller = site, prefix = ''): Promise<readonly string[]> =>
    names(await reader.get(prefix + addressOf(q, more)))
