import type { AnyEndpoint, Param } from '../contract/endpoint.ts'
import { cast, idIn } from '../contract/schemas/names.ts'

/** The things that the examples of requests name: the same as those of responses. */
const things: Readonly<Record<string, string>> = {
  t1: cast.comment,
  t2: cast.account,
  t4: cast.subsite,
  t5: cast.link,
  t6: cast.message,
}

/** Values of parameters whose schema has none, by name. */
const values: Readonly<Record<string, string>> = {
  article: idIn(cast.link),
  box: 'inbox',
  children: idIn(cast.comment),
  client_id: cast.app,
  comment: idIn(cast.comment),
  curpass: 'soft water',
  dest: '/',
  file: 'leaf.png',
  filterpath: 'user/ann/f/all',
  flair_csv: 'ann,soft,\nbob,hard,',
  from: '/user/ann/m/drinks',
  grant_type: 'client_credentials',
  links: cast.link,
  host: 'rostra.example',
  id: cast.link,
  img_name: 'leaf',
  multipath: 'user/ann/m/drinks',
  name: 'ann',
  names: cast.link,
  new_rule_order: 'Be kind,No spam',
  newpass: 'softer water',
  note: 'from the tea house',
  page: 'index',
  passwd: 'soft water',
  password: 'soft water',
  query: 'te',
  q: 'water',
  redirect_uri: 'http://localhost/',
  revision: '1b4e28ba-2fa1-51d2-883f-0016d3cca427',
  short_name: 'Be kind',
  sr: 'tea',
  srname: 'tea',
  srnames: 'tea',
  sub: 'tea',
  subject: 'On water',
  subsite: 'tea',
  text: 'Soft or hard?',
  thing_id: cast.link,
  title: 'On water',
  to: 'bob',
  token: cast.token,
  url: 'https://rostra.example/water',
  user: 'ann',
  username: 'ann',
  verpass: 'softer water',
}

/** Parameters that belong to an example although they are not required. */
const telling: ReadonlySet<string> = new Set(['id', 'name', 'page', 'sr', 'text', 'thing_id', 'title', 'to', 'subject', 'user'])

/** Returns a value of a parameter as a request has it. */
const exampleOfParam = (name: string, { schema }: Pick<Param<unknown>, 'schema'>): unknown => {
  if (Array.isArray(schema.enum)) return schema.enum[0]
  const [, kind = ''] = /^\^\((t\d)/.exec(String(schema.pattern)) ?? []
  if (kind in things) return things[kind]
  if (schema.type === 'boolean') return schema.default ?? true
  if (schema.type === 'integer') return schema.default ?? schema.minimum ?? 1
  return schema.default ?? values[name] ?? 'soft water'
}

type Named = readonly (readonly [string, Param<unknown>])[]

/** Returns the form of an example: the required parameters, and the most telling ones. */
export const exampleOfForm = (fields: Named, { upload }: AnyEndpoint): Readonly<Record<string, unknown>> => {
  const shown = fields.filter(([name, { required }]) => required || telling.has(name))
  const fieldsOfForm = shown.length > 0 ? shown : fields.slice(0, 1)
  return {
    ...(upload && { [upload.field]: 'the bytes of a file' }),
    ...Object.fromEntries(fieldsOfForm.map(([name, param]) => [name, exampleOfParam(name, param)])),
  }
}
