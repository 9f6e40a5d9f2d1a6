import type { Five } from './cast.ts'
import { appoint, dataOf, done, logOf } from './community.ts'
import { found } from './posting.ts'
import type { Caller } from './site.ts'

let founded = 0

/** A new subsite of ann's in which carol moderates flair. */
export const flairScene = async ({ ann, carol }: Five) => {
  const name = `hat${founded++}`
  await found(ann, name)
  await appoint(ann, name, carol, '+flair')
  const api = (endpoint: string) => `/s/${name}/api/${endpoint}`
  const configure = (more: Record<string, string | boolean> = {}) =>
    done(carol, api('flairconfig'), { flair_enabled: true, flair_position: 'right', ...more })
  const log = async () => (await logOf(carol, name)).filter((line) => line.includes('editflair'))
  return { name, api, configure, log }
}

export type FlairRow = { readonly user: string; readonly flair_text: string | null; readonly flair_css_class: string | null }

/** The accounts with flair, by a path of a flair list. */
export const flairList = async (reader: Caller, path: string) => (await reader.get(path)).at('users') as readonly FlairRow[]

/** The flair that a thing shows: text and class of its author, then its own. */
export const flairOf = async (reader: Caller, thing: string) => {
  const [data] = dataOf(await reader.get(`/api/info?id=${thing}`))
  return [data?.author_flair_text, data?.author_flair_css_class, data?.link_flair_text, data?.link_flair_css_class]
}
