import type { Five } from './cast.ts'
import { appoint, dataOf, logOf, postForm } from './community.ts'
import { foundSubsite, refusalOf, submit } from './posting.ts'
import type { Caller } from './site.ts'

let founded = 0

/** Makes a new subsite of ann's in which carol moderates flair. */
export const flairScene = async ({ ann, carol }: Five) => {
  const name = `hat${founded++}`
  await foundSubsite(ann, name)
  await appoint(ann, name, carol, '+flair')
  const api = (endpoint: string) => `/s/${name}/api/${endpoint}`
  const configure = (more: Record<string, string | boolean> = {}) =>
    postForm(carol, api('flairconfig'), { flair_enabled: true, flair_position: 'right', ...more })
  const log = async () => (await logOf(carol, name)).filter((line) => line.includes('editflair'))
  return { name, api, configure, log }
}

export type FlairRow = { readonly user: string; readonly flair_text: string | null; readonly flair_css_class: string | null }

/** Returns the accounts with flair, by a path of a flair list. */
export const flairList = async (reader: Caller, path: string) => (await reader.get(path)).at('users') as readonly FlairRow[]

/** Returns the flair that a thing shows: text and class of its author, then its own. */
export const flairOf = async (reader: Caller, thing: string) => {
  const [data] = dataOf(await reader.get(`/api/info?id=${thing}`))
  return [data?.author_flair_text, data?.author_flair_css_class, data?.link_flair_text, data?.link_flair_css_class]
}

/** The ids of the templates for users, or for a link, as a moderator of flair is offered them: in the order in which they were added. */
const templateIds = async (moderator: Caller, subsite: string, link?: string): Promise<readonly string[]> => {
  const offered = (await moderator.post(`/s/${subsite}/api/flairselector`, { link })).at('choices')
  return (offered as readonly { readonly flair_template_id: string }[]).map(({ flair_template_id: id }) => id)
}

/** Adds a template, or replaces the one whose id is sent; its id. */
export const putTemplate = async (
  moderator: Caller,
  subsite: string,
  form: Readonly<Record<string, string | boolean>>,
): Promise<string> => {
  const refusal = refusalOf(await moderator.post(`/s/${subsite}/api/flairtemplate`, { ...form, api_type: 'json' }))
  if (refusal !== '') throw new Error(`refused: ${refusal}`)
  const ofUsers = await templateIds(moderator, subsite)
  const { flair_template_id: sent } = form
  if (typeof sent === 'string' && ofUsers.includes(sent)) return sent
  const ids = form.flair_type === 'LINK_FLAIR' ? await templateIds(moderator, subsite, await submit(moderator, subsite)) : ofUsers
  return typeof sent === 'string' && ids.includes(sent) ? sent : String(ids.at(-1))
}
