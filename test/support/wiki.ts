import { foundSubsite, settle } from './posting.ts'
import type { Answer, Caller, User } from './site.ts'

/** Makes subsites of a founder with a wiki, by default one that everybody may edit; returns their names. */
export const openWikis = (founder: User) => {
  let count = 0
  return async (settings: Readonly<Record<string, string | number>> = {}): Promise<string> => {
    count += 1
    const name = `wiki${count}`
    await settle(founder, await foundSubsite(founder, name), { wikimode: 'anyone', ...settings })
    return name
  }
}

export const edit = (who: Caller, name: string, page: string, content: string, more: Readonly<Record<string, string>> = {}) =>
  who.post(`/s/${name}/api/wiki/edit`, { page, content, ...more })

export const reasonOf = (answer: Answer): unknown => [answer.status, answer.at('reason')]

export const textOf = async (who: Caller, name: string, page: string) => (await who.get(`/s/${name}/wiki/${page}`)).at('data.content_md')

/** Returns the revisions of a page, the newest first. */
export const revisionsOf = async (
  who: Caller,
  name: string,
  page: string,
): Promise<readonly { readonly id: string; readonly reason: string | null; readonly revision_hidden: boolean }[]> =>
  (await who.get(`/s/${name}/wiki/revisions/${page}?limit=100`)).at('data.children') as never

export const lines = (...some: readonly string[]) => some.join('\n')
