import { names, submit } from './posting.ts'
import type { Caller, User } from './site.ts'

/** Submits posts of an author in a subsite and returns their fullnames, the oldest first. */
export const submitSeveral = async (author: User, sr: string, count: number): Promise<readonly string[]> => {
  const names: string[] = []
  for (let n = 0; n < count; n += 1) names.push(await submit(author, sr))
  return names
}

/** Returns the pages of a listing from its first to its last, of so many items each. */
export const cutBy = async (reader: Caller, path: string, limit: number): Promise<readonly (readonly string[])[]> => {
  const pages: (readonly string[])[] = []
  for (let after: unknown = ''; after !== null; ) {
    const page = await reader.get(`${path}${path.includes('?') ? '&' : '?'}limit=${limit}&after=${after}`)
    pages.push(names(page))
    after = page.at('data.after')
    if (pages.length > 50) throw new Error('a walk without end')
  }
  return pages
}
