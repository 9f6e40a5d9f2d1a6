import { type Client, findClients } from '../../../auth/clients.ts'
import { scopeText } from '../../../auth/scope-string.ts'
import type { Session } from '../../../auth/sessions.ts'
import type { HeldGrant } from '../../../auth/tokens.ts'
import { type AnyEndpoint, type Context, section, type Uses } from '../../contract/endpoint.ts'
import { sessionCookie } from '../../contract/incoming.ts'
import { describeParam, documentRequired, optional, rawText } from '../../contract/params.ts'
import { refuseRule } from '../../contract/refusals.ts'
import { noBody } from '../../contract/schemas/answers.ts'
import { cast } from '../../contract/schemas/names.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { epoch } from '../../present/thing.ts'

const { delete: del, get } = section('Login and apps', { scope: 'any', login: 'session', errors: 'coded' })

// The sessions of an account, and the apps that it authorized.

const shared = { whileSuspended: true } as const

/** Returns the id of the session of a request. */
export const currentSession = async ({ headers, sessions }: Pick<Context, 'headers'> & Uses<'sessions'>): Promise<string | undefined> => {
  const cookie = sessionCookie(headers)
  return cookie === undefined ? undefined : (await sessions.find(cookie))?.id
}

const sessionFields: shape.RecordTable<Session & { readonly expires: number | undefined; readonly current: string | undefined }> = {
  id: [shape.text('5e1f0c9a7b3d'), ({ id }) => id],
  created_utc: [shape.epoch, ({ created }) => epoch(created)],
  expires_utc: [shape.orNull(shape.epoch), ({ expires }) => (expires === undefined ? null : epoch(expires))],
  agent: [shape.text('Mozilla/5.0'), ({ agent = '' }) => agent],
  current: [shape.flag, ({ id, current }) => id === current],
}

const listSessions = get('/api/v1/me/sessions', {
  ...shared,
  otherPaths: ['/prefs/sessions'],
  answers: { 200: shape.listOf(shape.tableShape('Session', sessionFields)) },
  summary: 'Your sessions, the oldest first.',
  notes: '`agent` is the `User-Agent` of the login. An account has at most 100 sessions; a new login beyond that ends the oldest.',
  uses: ['sessions'],
  handle: async (context) => {
    const current = await currentSession(context)
    const sessions = await context.sessions.list(context.viewer.account)
    return { kind: 'json', body: sessions.map((session) => shape.valuesOf(sessionFields, { ...session, current })) }
  },
})

const endSessions = del('/api/v1/me/sessions', {
  ...shared,
  answers: { 204: noBody },
  summary: 'End one session, or all except this one.',
  params: { id: describeParam(optional(rawText()), 'which session; absent: all others') },
  uses: ['sessions'],
  handle: async (context) => {
    const { sessions, viewer, params } = context
    if (params.id === undefined) {
      const current = await currentSession(context)
      await sessions.endThose(viewer.account, ({ id }) => id !== current)
      return undefined
    }
    const ended = await sessions.endThose(viewer.account, ({ id }) => id === params.id)
    return ended === 0 ? refuseRule('NOT_FOUND') : undefined
  },
})

const grantFields: shape.RecordTable<Client & { readonly held: readonly HeldGrant[] }> = {
  client_id: [shape.text(cast.app), ({ id }) => id],
  name: [shape.text('reader'), ({ name }) => name],
  description: [shape.text(''), ({ description }) => description],
  redirect_uri: [shape.text('http://localhost/'), ({ redirectUri }) => redirectUri],
  scopes: [
    shape.listOf(shape.text('read')),
    ({ held }) => [...new Set(held.map(({ scopes, subsites }) => scopeText({ scopes, subsites: subsites ?? undefined })))],
  ],
  permanent: [shape.flag, ({ held }) => held.some(({ permanent }) => permanent)],
}

const presentGrants = async ({ vault }: Pick<Context, 'vault'>, grants: readonly HeldGrant[]) => {
  const byClient = Map.groupBy(grants, ({ client }) => client)
  const clients = await findClients(vault, [...byClient.keys()])
  return clients.map((client) => shape.valuesOf(grantFields, { ...client, held: byClient.get(client.id) ?? [] }))
}

const listGrants = get('/api/v1/me/grants', {
  ...shared,
  answers: { 200: shape.listOf(shape.tableShape('Grant', grantFields)) },
  summary: 'The apps that you authorized to act for your account.',
  notes:
    '`scopes` are scope strings, one for each different grant; `permanent`: valid until it is revoked; other grants last at most an hour. An account has at most 100 permanent grants; a new one beyond that ends the oldest.',
  uses: ['tokens'],
  handle: async (context) => {
    const grants = await context.tokens.grantsOf(context.viewer.account)
    return { kind: 'json', body: await presentGrants(context, grants) }
  },
})

const revokeGrants = del('/api/v1/me/grants', {
  ...shared,
  answers: { 204: noBody },
  summary: 'Revoke all your grants to an app; its tokens end at once.',
  params: { client_id: describeParam(documentRequired(rawText()), 'the app') },
  uses: ['tokens'],
  handle: async ({ tokens, viewer, params }) => {
    const isHeld = (await tokens.grantsOf(viewer.account)).some(({ client }) => client === params.client_id)
    await tokens.revokeClient(viewer.account, params.client_id)
    return isHeld ? undefined : refuseRule('NOT_FOUND')
  },
})

export const accessEndpoints: readonly AnyEndpoint[] = [listSessions, endSessions, listGrants, revokeGrants]
