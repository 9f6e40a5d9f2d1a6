import { startCast } from './cast.ts'
import { foundSubsite } from './posting.ts'
import type { Answer, Caller } from './site.ts'

/** A site with the subsites Tea, coffee and secret, which is private. */
export const startMultis = async () => {
  const cast = await startCast(['ann', 'bob', 'carol', 'dave', 'Fay_1', 'root', 'without'])
  const tea = await foundSubsite(cast.ann, 'Tea')
  await foundSubsite(cast.ann, 'coffee')
  const secret = await foundSubsite(cast.ann, 'secret', { type: 'private' })
  return { ...cast, tea, secret }
}

export type Model = Readonly<Record<string, unknown>>
export const modelOf = (...subsites: readonly string[]) => ({ subreddits: subsites.map((name) => ({ name })) })
export const modelForm = (model?: Model) => ({ form: model === undefined ? {} : { model: JSON.stringify(model) } })
export const put = (who: Caller, path: string, model?: Model) => who.request('PUT', `/api/multi/${path}`, modelForm(model))
export const post = (who: Caller, path: string, model?: Model) => who.request('POST', `/api/multi/${path}`, modelForm(model))
export const copy = (who: Caller, form: Record<string, string>) => who.post('/api/multi/copy', form)
export const rename = (who: Caller, form: Record<string, string>) => who.post('/api/multi/rename', form)
export const show = (who: Caller, path: string, query = '') => who.get(`/api/multi/${path}?raw_json=1${query}`)
export const refusal = (answer: Answer) =>
  `${answer.status} ${answer.at('reason')}${answer.at('fields.0') === undefined ? '' : ` ${answer.at('fields.0')}`}`
export const subsitesOf = (answer: Answer) => (answer.at('data.subreddits') as readonly { readonly name: string }[]).map(({ name }) => name)
export const pathsOf = (answer: Answer) =>
  (answer.body as readonly { readonly data: { readonly path: string } }[]).map(({ data }) => data.path)
