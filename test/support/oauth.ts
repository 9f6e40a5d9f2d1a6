import { createHash, randomBytes } from 'node:crypto'
import type { Answer, Caller, User } from './site.ts'

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

/** An app that somebody registered. */
export const registerApp = async (owner: User, type: AppType, redirect = 'http://localhost:9/back'): Promise<OAuthApp> => {
  const answer = await (await owner.session()).post('/api/v1/apps', { name: `a ${type} app`, app_type: type, redirect_uri: redirect })
  const [id, secret] = [answer.at('client_id'), answer.at('client_secret')]
  if (typeof id !== 'string' || typeof secret !== 'string') throw new Error(`no app: ${answer.status} ${answer.text}`)
  return { id, secret, redirect, basic: basic(id, secret) }
}

export type Fields = Readonly<Record<string, string | undefined>>

/** What an app asks for on the authorization page, unless told otherwise. */
export const asking = ({ id, redirect }: OAuthApp, fields: Fields = {}): Readonly<Record<string, string>> => {
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

/** A PKCE verifier and its S256 challenge. */
export const pkce = () => {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** Where a redirect leads: its address without query and fragment, and what those say. */
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

/** The code that somebody's consent gives an app. */
export const codeFor = async (person: Caller, app: OAuthApp, fields: Fields = {}): Promise<string> => {
  const answer = await person.post('/api/v1/authorize', { ...asking(app, fields), authorize: 'Allow' })
  const { code } = ledTo(answer).query
  if (code === undefined) throw new Error(`no code: ${answer.status} ${answer.text}`)
  return code
}
