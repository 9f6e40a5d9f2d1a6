import * as E from 'fp-ts/lib/Either.js'
import { appTypes, type Client, clientsOf, findClient, newClientId, registerClient } from '../../../auth/clients.ts'
import { checkRedirect } from '../../../auth/redirect-address.ts'
import { limits } from '../../../domain/text-limits.ts'
import { makeReserved } from '../../../limits/reservations.ts'
import { type AnyEndpoint, type Need, section } from '../../contract/endpoint.ts'
import { describeParam, documentRequired, oneOf, rawText, text } from '../../contract/params.ts'
import { refuseRule } from '../../contract/refusals.ts'
import { noBody } from '../../contract/schemas/answers.ts'
import { cast } from '../../contract/schemas/names.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { epoch } from '../../present/thing.ts'

const { delete: del, get, post } = section('Login and apps', { scope: 'account', login: 'user', errors: 'coded' })

/** The most apps of one account: the list is one response, and each app has a request quota of its own. */
export const MAX_APPS_PER_ACCOUNT = 100

const full = E.left({ code: 'CONFLICT', field: null, text: `you have ${MAX_APPS_PER_ACCOUNT} apps already: delete one first` } as const)

const fields: shape.RecordTable<Client> = {
  client_id: [shape.text(cast.app), ({ id }) => id],
  name: [shape.text('reader'), ({ name }) => name],
  app_type: [shape.choice('script', 'web', 'installed'), ({ type }) => type],
  redirect_uri: [shape.text('http://localhost/'), ({ redirectUri }) => redirectUri],
  description: [shape.text(''), ({ description }) => description],
  created_utc: [shape.epoch, ({ created }) => epoch(created)],
}

const listApps = get('/api/v1/apps', {
  otherPaths: ['/prefs/apps'],
  scope: 'identity',
  answers: { 200: shape.listOf(shape.tableShape('App', fields)) },
  summary: 'The OAuth apps you registered.',
  handle: async ({ viewer, vault }) => {
    const apps = await clientsOf(vault, viewer.account)
    return { kind: 'json', body: apps.map((app) => shape.valuesOf(fields, app)) }
  },
})

const registerApp = post('/api/v1/apps', {
  idempotency: false,
  answers: {
    201: shape.recordSchema({ client_id: shape.text(cast.app), client_secret: shape.orNull(shape.text('c1d3e5f7a9b0c2d4e6f8a1b3')) }),
  },
  summary: 'Register an OAuth app.',
  notes:
    'Returns `{client_id, client_secret}`; the secret is shown only once. Installed apps have no secret. An account has at most 100 apps; one more is 409.',
  params: {
    name: text({ max: limits.appName, line: true }),
    app_type: oneOf(...appTypes),
    redirect_uri: describeParam(
      documentRequired(rawText()),
      'the exact address that the authorization page redirects to: https, http on a loopback address, or, except for web apps, a custom scheme that contains a dot',
    ),
    description: text({ max: limits.appDescription, empty: true }),
  },
  handle: async (context) => {
    const { viewer, params, command, vault } = context
    const bad = checkRedirect(params.redirect_uri, params.app_type)
    if (bad) return E.left(bad)
    const app = {
      name: params.name,
      type: params.app_type,
      redirectUri: params.redirect_uri,
      description: params.description,
      owner: viewer.account,
      created: command.at,
    }
    const id = newClientId()
    const created = await makeReserved(context, { name: `apps.${viewer.account}`, items: [id], by: id }, async (pending) => {
      const clientIds = new Set([...(await clientsOf(vault, viewer.account)).map((client) => client.id), ...pending])
      if (clientIds.size >= MAX_APPS_PER_ACCOUNT) return full
      // once it is in the vault, every later count finds it there
      return E.right({ ...(await registerClient(vault, app, id)), position: undefined })
    })
    if (E.isLeft(created)) return created
    const { client, secret } = created.right
    return { kind: 'json', status: 201, body: { client_id: client.id, client_secret: secret } }
  },
})

const ownClient: Need<Client, { readonly client_id: string }> = async ({ viewer, params, vault }) => {
  const client = await findClient(vault, params.client_id)
  return client?.owner === viewer.account ? E.right(client) : refuseRule('NOT_FOUND')
}

const deleteApp = del('/api/v1/apps/{client_id}', {
  whileSuspended: true,
  answers: { 204: noBody },
  summary: 'Delete an OAuth app of yours; its tokens end at once.',
  params: { client_id: rawText() },
  uses: ['tokens'],
  needs: { client: ownClient },
  handle: async ({ client, vault, tokens }) => {
    await vault.delete('client', client.id)
    tokens.forget()
    return undefined
  },
})

export const appEndpoints: readonly AnyEndpoint[] = [listApps, registerApp, deleteApp]
