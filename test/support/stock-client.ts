import type { ExecutionContext } from 'ava'
import { startCast } from './cast.ts'
import { registerApp } from './oauth.ts'
import { type Answer, callerAt, type TestSite, type User } from './site.ts'

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }

/** Gets a token, by password, for the developer of a script app. */
const grantedTo = async (t: ExecutionContext, site: TestSite, user: User): Promise<string> => {
  const app = await registerApp(user, 'script')
  const body = `grant_type=password&password=${encodeURIComponent(user.password)}&username=${user.name}`
  const granted = await site.request('POST', '/api/v1/access_token', { body, headers: { ...FORM, ...app.basic } })
  t.is(granted.at('scope'), '*')
  return String(granted.at('access_token'))
}

/** The client with a token. Whatever it gets must be a response that it can read. */
const clientOf = (t: ExecutionContext, site: TestSite, token: string) => {
  const caller = callerAt(site.url, { Authorization: `bearer ${token}`, 'User-Agent': 'test' })
  const accepted = (answer: Answer, what: string): Answer => {
    t.true([200, 201, 202, 204, 302].includes(answer.status), `${what}: ${answer.status} ${answer.text}`)
    t.true(answer.text === '' || answer.body !== undefined, `${what}: a body that is not JSON`)
    for (const field of ['remaining', 'used', 'reset']) t.regex(answer.headers.get(`x-ratelimit-${field}`) ?? '', /^\d+$/)
    return answer
  }
  const form = async (method: string, path: string, fields: string) =>
    accepted(await caller.request(method, `${path}?raw_json=1`, { body: `api_type=json&${fields}`, headers: FORM }), path)
  return {
    get: async (path: string) => accepted(await caller.get(path), path),
    post: (path: string, fields: string) => form('POST', path, fields),
    put: (path: string, fields: string) => form('PUT', path, fields),
    patch: (path: string, fields: string) => form('PATCH', path, fields),
    /** Sends JSON as the library does: a body without a content type. */
    send: async (method: string, path: string, value: unknown) =>
      accepted(await caller.request(method, path, { body: new TextEncoder().encode(JSON.stringify(value)) }), path),
  }
}

type Client = ReturnType<typeof clientOf>

/** A new site on which anna and robert use the client: anna logs in with it, robert has a token. */
export const startClients = async (t: ExecutionContext) => {
  const { site, anna, robert } = await startCast(['anna', 'robert'])
  t.teardown(site.stop)
  return { ann: clientOf(t, site, await grantedTo(t, site, anna)), bob: clientOf(t, site, await site.tokenOf(robert.id)) }
}

export const foundTea = (by: Client): Promise<Answer> =>
  by.post('/api/site_admin/', 'link_type=any&name=tea&title=All+about+tea&type=public&wikimode=disabled')

const common = 'nsfw=False&sendreplies=True&spoiler=False&sr=tea&validate_on_submit=True'

export const submitLeaf = (by: Client, resubmit: 'True' | 'False'): Promise<Answer> =>
  by.post('/api/submit/', `kind=link&resubmit=${resubmit}&title=A+leaf&url=https%3A%2F%2Fexample.com%2Fleaf&${common}`)

/** Submits a text and returns its fullname. */
const submitText = async (by: Client): Promise<string> => {
  const fields = `kind=self&resubmit=True&text=%2A%2ASoft%2A%2A+%26+hard+%3C+water&title=On+water&${common}`
  return String((await by.post('/api/submit/', fields)).at('json.data.name'))
}

/** Replies to a thing and returns the record of the new comment or message. */
export const answerTo = async (by: Client, thing: string, text: string): Promise<{ readonly kind: unknown; readonly name: string }> => {
  const said = await by.post('/api/comment/', `text=${text}&thing_id=${thing}`)
  return { kind: said.at('json.data.things.0.kind'), name: String(said.at('json.data.things.0.data.name')) }
}

/** A new site on which ann has founded tea, where bob has submitted a link and then a text. */
export const startSubmitted = async (t: ExecutionContext) => {
  const clients = await startClients(t)
  await foundTea(clients.ann)
  const link = String((await submitLeaf(clients.bob, 'True')).at('json.data.name'))
  const text = await submitText(clients.bob)
  return { ...clients, link, text, thread: `/comments/${text.slice(3)}/?limit=2048&sort=confidence&raw_json=1` }
}
