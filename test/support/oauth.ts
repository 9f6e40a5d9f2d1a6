import { createHash, randomBytes } from 'node:crypto'
import type { ExecutionContext } from 'ava'
import { startTea } from './cast.ts'
import { foundSubsite } from './posting.ts'
import { type Answer, type Caller, callerAt, type TestSite, type User } from './site.ts'

export type AppType = 'web' | 'installed' | 'script'
export type OAuthApp = {
  readonly id: string
  readonly secret: string
  readonly redirect: string
  readonly basic: Readonly<Record<string, string>>
}

export const basic = (id: string, secret: string): Readonly<Record<string, string>> => ({
  Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
})

/** Registers an app in the name of somebody. */
export const registerApp = async (owner: User, type: AppType, redirect = 'http://localhost:9/back'): Promise<OAuthApp> => {
  const answer = await (await owner.session()).post('/api/v1/apps', { name: `a ${type} app`, app_type: type, redirect_uri: redirect })
  const [id, secret] = [answer.at('client_id'), answer.at('client_secret')]
  if (typeof id !== 'string' || typeof secret !== 'string') throw new Error(`no app: ${answer.status} ${answer.text}`)
  return { id, secret, redirect, basic: basic(id, secret) }
}

export type Fields = Readonly<Record<string, string | undefined>>

/** Returns the request of an app for the authorization page, with defaults. */
export const authorizationRequest = ({ id, redirect }: OAuthApp, fields: Fields = {}): Readonly<Record<string, string>> => {
  const all = {
    client_id: id,
    response_type: 'code',
    redirect_uri: redirect,
    scope: 'identity,read',
    state: 'st&te',
    duration: 'temporary',
    ...fields,
  }
  return Object.fromEntries(Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

export const addressOf = (fields: Readonly<Record<string, string>>): string => `/api/v1/authorize?${new URLSearchParams(fields)}`

/** Makes a PKCE verifier and its S256 challenge. */
export const pkce = () => {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** Returns the target of a redirect: its address without query and fragment, and the parameters in those. */
export const ledTo = (answer: Answer) => {
  const location = new URL(answer.headers.get('location') ?? 'none:')
  const { searchParams } = location
  const fragment = new URLSearchParams(location.hash.slice(1))
  return {
    address: `${location.origin}${location.pathname}`,
    query: Object.fromEntries(searchParams),
    fragment: Object.fromEntries(fragment),
  }
}

/** Returns the code that an app receives when an account consents. */
export const codeFor = async (person: Caller, app: OAuthApp, fields: Fields = {}): Promise<string> => {
  const answer = await person.post('/api/v1/authorize', { ...authorizationRequest(app, fields), authorize: 'Allow' })
  const { code } = ledTo(answer).query
  if (code === undefined) throw new Error(`no code: ${answer.status} ${answer.text}`)
  return code
}

export type OAuthCast = {
  readonly site: TestSite
  readonly ann: User
  readonly bob: User
  readonly annHere: Caller & { readonly cookie: string; readonly modhash: string }
  readonly script: OAuthApp
  readonly web: OAuthApp
  readonly installed: OAuthApp
}

/** A site with a script app of ann's, who has a session, and other apps of bob's. */
export const startOAuth = async (): Promise<OAuthCast> => {
  const { site, ann, bob } = await startTea()
  await foundSubsite(ann, 'coffee')
  return {
    site,
    ann,
    bob,
    annHere: await ann.session(),
    script: await registerApp(ann, 'script'),
    web: await registerApp(bob, 'web', 'https://app.example/back?from=us'),
    installed: await registerApp(bob, 'installed', 'tea.app://back'),
  }
}

/** Returns the `error` of a challenge. */
export const challengeOf = ({ headers }: Answer) => headers.get('www-authenticate')?.split('=').at(-1)?.replaceAll('"', '')

/** The token that was granted. */
export const tokenOf = (t: ExecutionContext<OAuthCast>, answer: Answer): string => {
  t.is(answer.status, 200, answer.text)
  const token = answer.at('access_token')
  t.is(typeof token, 'string', answer.text)
  return String(token)
}

/** Sends a request for a token by an app. */
export const ask = ({ site }: OAuthCast, app: OAuthApp, fields: Fields) => site.post('/api/v1/access_token', fields, app.basic)

export const withToken = ({ site }: OAuthCast, token: string) => callerAt(site.url, { Authorization: `bearer ${token}` })

export const byPassword = (cast: OAuthCast, more: Fields = {}) =>
  ask(cast, cast.script, { grant_type: 'password', username: 'ann', password: cast.ann.password, ...more })

export const redeem = (cast: OAuthCast, app: OAuthApp, code: string, more: Fields = {}) =>
  ask(cast, app, { grant_type: 'authorization_code', code, redirect_uri: app.redirect, ...more })
