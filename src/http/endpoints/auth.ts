import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import type { App } from '../../app.ts'
import { logIn, type User, waitInWords } from '../../auth/login.ts'
import { queues } from '../../commands/queues.ts'
import { register } from '../../commands/register.ts'
import type { Refusal } from '../../domain/refusal.ts'
import { refusals } from '../../domain/refusal.ts'
import { type AnyEndpoint, type Decoded, endpoint, type Reply, type Request } from '../endpoint.ts'
import { cookieOf } from '../incoming.ts'
import { loginPage, pageHeaders } from '../pages.ts'
import { described, flag, raw } from '../params.ts'
import { COOKIE } from '../sessions.ts'
import { deleteApp, listApps, registerApp } from './apps.ts'
import { askConsent, giveConsent } from './authorize.ts'
import { accessToken, revokeToken } from './oauth.ts'

const section = 'Additions'

const credentials = {
  user: described(raw(), '3 to 20 letters, digits, `-` and `_`'),
  passwd: described(raw(), 'at least 6 characters'),
  rem: described(flag(), 'remember the session for a year'),
}
const registration = {
  ...credentials,
  passwd2: described(raw(), 'the password again'),
  email: described(raw(), 'optional; kept outside the log, unverified'),
}
type Registration = Decoded<typeof registration>
type Login = Decoded<typeof credentials>

/** Milliseconds between two registrations from one address, while limits are on. */
const REGISTRATION_WAIT = 600_000

const checkPassword = ({ passwd, passwd2, email }: Registration): Refusal | undefined => {
  if (email !== '' && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)) return { code: 'BAD_EMAIL', field: 'email' }
  if (passwd.length < 6) return { code: 'SHORT_PASSWORD', field: 'passwd' }
  return passwd === passwd2 ? undefined : { code: 'BAD_PASSWORD_MATCH', field: 'passwd2' }
}

/** At most one registration from an address in ten minutes, while limits are on. */
const admit = async ({ config, vault, clock }: App, ip: string): Promise<Refusal | undefined> => {
  if (!config.rateLimits) return undefined
  const id = `register:${ip}`
  const record = await vault.get('limit', id)
  const wait = (record?.expires ?? 0) - clock()
  if (wait <= 0) return undefined
  const text = `you are doing that too much. try again in ${waitInWords(wait)}.`
  return { code: 'RATELIMIT', field: 'ratelimit', text, extra: { ratelimit: wait / 1000 } }
}

const registerNow = async (request: Request<Registration>, app: App): Promise<Either<Refusal, User>> => {
  const { user: name, passwd: password, email } = request.params
  const registered = await register(
    app,
    {
      name,
      password,
      email: email === '' ? undefined : email,
      check: async () => checkPassword(request.params) ?? (await admit(app, request.ip)),
    },
    request.command,
  )
  if (E.isRight(registered) && app.config.rateLimits)
    await app.vault.put('limit', `register:${request.ip}`, { value: {}, expires: app.clock() + REGISTRATION_WAIT })
  return registered
}

const inTurn = queues()
/** While limits are on: from one address one after the other, so that a crowd of them is one registration, too. */
const newUser = (request: Request<Registration>, app: App): Promise<Either<Refusal, User>> =>
  app.config.rateLimits ? inTurn(request.ip, () => registerNow(request, app)) : registerNow(request, app)

const oldUser = async ({ viewer, params, ip }: Request<Login>, app: App): Promise<Either<Refusal, User>> => {
  const user = await logIn(app, params.user, params.passwd, ip)
  if (E.isRight(user) && viewer.via === 'session' && viewer.account !== undefined && viewer.account !== user.right.id)
    return E.left({ code: 'LOGGED_IN', field: null, status: 409 })
  return user
}

/** The session's beginning, as session clients expect it. */
const welcome = async ({ sessions, config }: App, user: User, remember: boolean): Promise<Reply> => {
  const { cookie, session } = await sessions.create(user.id, remember)
  return {
    kind: 'form',
    data: { modhash: sessions.modhashOf(session), cookie, need_https: config.publicUrl.startsWith('https:') },
    headers: { 'Set-Cookie': sessions.setCookie(cookie, remember) },
  }
}

const common = { method: 'POST', scope: 'any', login: 'anyone', modhash: false, idempotency: false, section } as const

const registerAccount = endpoint({
  ...common,
  path: '/api/register',
  aliases: ['/api/register/{user}'],
  errors: 'form',
  json: true,
  summary: 'Make an account and log in as it.',
  notes: 'Answers `data: {modhash, cookie, need_https}` and sets the session cookie.',
  params: registration,
  handle: async (request, app) => {
    const user = await newUser(request, app)
    return E.isLeft(user) ? user : E.right(await welcome(app, user.right, request.params.rem))
  },
})

const login = endpoint({
  ...common,
  path: '/api/login',
  aliases: ['/api/login/{user}'],
  errors: 'form',
  json: true,
  summary: 'Log in; answers as `/api/register` does.',
  params: credentials,
  handle: async (request, app) => {
    const user = await oldUser(request, app)
    return E.isLeft(user) ? user : E.right(await welcome(app, user.right, request.params.rem))
  },
})

/** Only a path of this site: never another site's address, however it is spelled. */
const safeDestination = (dest: string): string => (/^\/(?![/\\])[^\\\s]*$/.test(dest) ? dest : '/')

const goTo = (location: string, cookie?: string): Reply => ({
  kind: 'redirect',
  location,
  ...(cookie !== undefined && { headers: { 'Set-Cookie': cookie } }),
})

const logout = endpoint({
  ...common,
  path: '/logout',
  modhash: true,
  errors: 'plain',
  answers: [302],
  summary: 'End the session; then on to `dest`, a path of this site.',
  params: { dest: raw() },
  handle: async ({ params, headers }, { sessions }) => {
    const cookie = cookieOf(typeof headers.cookie === 'string' ? headers.cookie : undefined, COOKIE)
    if (cookie !== undefined) await sessions.end(cookie)
    return E.right(goTo(safeDestination(params.dest), sessions.setCookie(undefined, false)))
  },
})

const logoutPage = endpoint({
  ...common,
  method: 'GET',
  path: '/logout',
  errors: 'plain',
  answers: [302],
  summary: 'Changes nothing: leads to `dest`.',
  params: { dest: raw() },
  handle: async ({ params }) => E.right(goTo(safeDestination(params.dest))),
})

const pageOf = (kind: 'login' | 'register', dest: string, error?: string): Reply => ({
  kind: 'text',
  type: 'text/html; charset=UTF-8',
  body: loginPage(kind, dest, error),
  headers: pageHeaders,
})

const page = (kind: 'login' | 'register') =>
  endpoint({
    ...common,
    method: 'GET',
    path: `/${kind}`,
    errors: 'plain',
    summary: kind === 'login' ? 'The page to log in on.' : 'The page to register on.',
    params: { dest: raw() },
    handle: async ({ params }) => E.right(pageOf(kind, safeDestination(params.dest))),
  })

/** What a browser's form sends: back to the page with the reason, or on to `dest` with a session. */
const finish = async (
  kind: 'login' | 'register',
  user: Either<Refusal, User>,
  { dest, rem }: { readonly dest: string; readonly rem: boolean },
  { sessions }: App,
): Promise<Either<Refusal, Reply>> => {
  if (E.isLeft(user)) return E.right(pageOf(kind, safeDestination(dest), user.left.text ?? refusals[user.left.code].text))
  const { cookie } = await sessions.create(user.right.id, rem)
  return E.right(goTo(safeDestination(dest), sessions.setCookie(cookie, rem)))
}

const loginForm = endpoint({
  ...common,
  path: '/post/login',
  errors: 'plain',
  answers: [200, 302],
  summary: 'What the login page sends.',
  params: { ...credentials, dest: raw() },
  handle: async (request, app) => finish('login', await oldUser(request, app), request.params, app),
})

const registerForm = endpoint({
  ...common,
  path: '/post/reg',
  errors: 'plain',
  answers: [200, 302],
  summary: 'What the registration page sends.',
  params: { ...registration, dest: raw() },
  handle: async (request, app) => finish('register', await newUser(request, app), request.params, app),
})

export const authEndpoints: readonly AnyEndpoint[] = [
  registerAccount,
  login,
  logout,
  logoutPage,
  page('login'),
  page('register'),
  loginForm,
  registerForm,
  listApps,
  registerApp,
  deleteApp,
  askConsent,
  giveConsent,
  accessToken,
  revokeToken,
]
