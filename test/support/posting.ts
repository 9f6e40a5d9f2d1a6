import type { Answer, Caller, User } from './site.ts'

type Fields = Parameters<Caller['post']>[1]

/** The refusal of a form: `CODE field`; the reason of a silent endpoint; or the status. */
export const refusalOf = (answer: Answer): string => {
  const errors = answer.at('json.errors')
  const reason = answer.headers.get('x-reason')
  if (reason !== null) return reason
  if (answer.status !== 200 || !Array.isArray(errors)) return String(answer.status)
  return errors.map(([code, , field]: readonly unknown[]) => (field === null ? code : `${code} ${field}`)).join(', ')
}

const acceptedName = (answer: Answer, path: string): string => {
  const value = answer.at(path)
  if (typeof value !== 'string') throw new Error(`refused: ${answer.status} ${answer.text}`)
  return value
}

/** Founds a subsite of this name in the name of somebody. */
export const foundSubsite = async (founder: Caller, name: string, settings: Fields = {}): Promise<string> => {
  const answer = await founder.post('/api/site_admin', { name, title: name, type: 'public', link_type: 'any', ...settings })
  if (refusalOf(answer) !== '') throw new Error(`${name} was not founded: ${answer.text}`)
  return acceptedName(await founder.get(`/s/${name}/about`), 'data.name')
}

/** Submits a link, or a self-post if there is no `url`, and returns its fullname. */
export const submit = async (author: Caller, sr: string, fields: Fields = {}): Promise<string> =>
  acceptedName(
    await author.post('/api/submit', {
      sr,
      kind: fields?.url === undefined ? 'self' : 'link',
      title: 'a title',
      resubmit: true,
      ...fields,
    }),
    'json.data.name',
  )

/** Posts a comment and returns its fullname. */
export const say = async (author: Caller, parent: string, text = 'some words'): Promise<string> =>
  acceptedName(await author.post('/api/comment', { thing_id: parent, text }), 'json.data.things.0.data.name')

/** Returns the record of a thing as a viewer sees it. */
export const readThing = async (reader: Caller, fullname: string): Promise<Readonly<Record<string, unknown>>> => {
  const record = (await reader.get(`/api/info?id=${fullname}&raw_json=1`)).at('data.children.0.data')
  if (record === null || typeof record !== 'object') throw new Error(`${fullname} is not there`)
  return record as Readonly<Record<string, unknown>>
}

/** Returns the fullnames of a listing. */
export const names = (answer: Answer, path = 'data.children'): readonly string[] => {
  const children = answer.at(path)
  if (!Array.isArray(children)) throw new Error(`no listing: ${answer.status} ${answer.text}`)
  return children.map((child: { readonly data: { readonly name: string } }) => child.data.name)
}

export const id36 = (fullname: string): string => fullname.slice(3)

/** Changes settings of a subsite as its founder. */
export const settle = async (founder: User, subsite: string, settings: Fields): Promise<void> => {
  const current = (await founder.get(`/api/info?id=${subsite}`)).at('data.children.0.data.display_name')
  const answer = await founder.post('/api/site_admin', {
    sr: subsite,
    title: String(current),
    link_type: 'any',
    type: 'public',
    ...settings,
  })
  if (refusalOf(answer) !== '') throw new Error(answer.text)
}
