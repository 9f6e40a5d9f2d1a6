import { startCast } from './cast.ts'
import { foundSubsite, names } from './posting.ts'
import type { Caller } from './site.ts'

type Searched = Awaited<ReturnType<typeof startCast<'ann' | 'bob' | 'carol' | 'dave'>>>

/** Starts a site with the subsites tea and milk. */
export const startSearched = async (): Promise<Searched> => {
  const cast = await startCast(['ann', 'bob', 'carol', 'dave'])
  await foundSubsite(cast.ann, 'tea', { title: 'All about leaves' })
  await foundSubsite(cast.ann, 'milk')
  return cast
}

export const addressOf = (q: string, more: Readonly<Record<string, string>> = {}) => `/search?${new URLSearchParams({ q, ...more })}`

/** Returns the fullnames that a search finds, by a viewer. */
export const findBy =
  (site: Caller) =>
  async (q: string, more: Readonly<Record<string, string>> = {}, reader: Caller = site, prefix = ''): Promise<readonly string[]> =>
    names(await reader.get(prefix + addressOf(q, more)))
