import { registerClient } from '../../../src/auth/clients.ts'
import { postForm } from '../community.ts'
import type { User } from '../site.ts'
import { accountsOf, anyUser, users } from './roles.ts'
import type { Rows } from './row.ts'
import { registerSomebody } from './stage.ts'
import { type Make, newName } from './things.ts'

const redirect = 'http://localhost:9/back'

/** An app of the account that will act; and one of the author. */
const app: Make = async ({ site }, self) => {
  const said = { name: 'an app', type: 'script', redirectUri: redirect, description: '', created: Date.now() } as const
  return (await registerClient(site.running.app.vault, { ...said, owner: self.id })).client.id
}
const appOfAuthor: Make = (stage) => app(stage, stage.author)
/** An app that the account that will act has authorized. */
const makeGrant: Make = async (stage, self) => {
  const client = await appOfAuthor(stage, self)
  await stage.site.running.app.tokens.issueRefresh({ account: self.id, client, scopes: ['read'], subsites: null, refresh: null })
  return client
}
/** Begins a session of the account that will act, besides the one that it acts by. */
const otherSession: Make = async ({ site }, self) => (await site.running.app.sessions.create(self.id, false)).session.id

const makeSuspended: Make = async (stage) => {
  const { name } = await registerSomebody(stage)
  await postForm(stage.root, '/api/suspend_user', { name })
  return name
}

const consent = (client_id: string) => ({
  client_id,
  response_type: 'code',
  redirect_uri: redirect,
  scope: 'read',
  state: 'x',
  authorize: 'Allow',
})
const newPassword = ({ password }: User) => ({ curpass: password, newpass: 'battery staple', verpass: 'battery staple' })
const inPath = (client_id: string) => ({ client_id })

/** Accounts: how they end and are suspended, what they prefer, and the access that sessions, tokens and apps have to them. */
export const accountRows: Rows = {
  'POST /api/suspend_user': {
    by: accountsOf('root'),
    as: 'staff',
    records: 'AccountSuspended',
    on: newName,
    form: (name) => ({ name, duration: 3 }),
  },
  'POST /api/unsuspend_user': {
    by: accountsOf('root'),
    as: 'staff',
    records: 'AccountUnsuspended',
    on: makeSuspended,
    form: (name) => ({ name }),
  },
  'POST /api/erase_user': [
    {
      what: 'of somebody else',
      by: accountsOf('root'),
      as: 'staff',
      records: 'AccountErased',
      on: newName,
      form: (name) => ({ name, passwd: 'correct horse' }),
    },
    {
      what: 'oneself',
      by: anyUser,
      records: 'AccountErased',
      session: true,
      needsFreshCaller: true,
      form: (_, { password }) => ({ passwd: password }),
    },
  ],
  'POST /api/delete_user': {
    by: anyUser,
    records: 'AccountDeleted',
    session: true,
    needsFreshCaller: true,
    form: (_, { password }) => ({ passwd: password }),
  },
  'POST /api/update_password': {
    by: anyUser,
    changesVault: 'credentials',
    session: true,
    needsFreshCaller: true,
    form: (_, self) => newPassword(self),
  },
  'PATCH /api/v1/me/prefs': {
    by: anyUser,
    records: 'PreferencesChanged',
    on: async (_, self) => {
      await self.request('PATCH', '/api/v1/me/prefs', { json: { numsites: 25 } })
      return ''
    },
    json: () => ({ numsites: 50 }),
  },
  'POST /logout': { by: anyUser, changesVault: 'session', session: true },
  'DELETE /api/v1/me/sessions': [
    { by: anyUser, changesVault: 'session', session: true, on: otherSession, form: (session) => ({ id: session }) },
    {
      what: 'of the author',
      by: accountsOf('author'),
      changesVault: 'session',
      session: true,
      on: otherSession,
      form: (session) => ({ id: session }),
    },
  ],
  'DELETE /api/v1/me/grants': {
    by: anyUser,
    changesVault: 'refresh',
    session: true,
    on: makeGrant,
    form: (client_id) => ({ client_id }),
  },
  'POST /api/v1/authorize': { by: anyUser, changesVault: 'code', session: true, on: appOfAuthor, form: consent },
  'POST /api/v1/apps': { by: users, changesVault: 'client', form: () => ({ name: 'an app', app_type: 'script', redirect_uri: redirect }) },
  'DELETE /api/v1/apps/{client_id}': [
    { what: 'of oneself', by: anyUser, changesVault: 'client', on: app, path: inPath },
    { what: 'of the author', by: accountsOf('author'), changesVault: 'client', on: appOfAuthor, path: inPath },
  ],
}
