import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import type { App } from '../../app.ts'
import { logIn, type User } from '../../auth/login.ts'
import { registrationWait } from '../../auth/registration-wait.ts'
import { COOKIE } from '../../auth/sessions.ts'
import { hashPassword } from '../../commands/credentials.ts'
import { register } from '../../commands/register.ts'
import { checkPassword } from '../../domain/password.ts'
import type { Refusal } from '../../domain/refusal.ts'
import { refusals } from '../../domain/refusal.ts'
import { notCrossSite } from '../cross-site.ts'
import { type AnyEndpoint, type Context, type Decoded, endpoint, type Reply } from '../endpoint.ts'
import { retryAfter } from '../errors.ts'
import { cookieOf } from '../incoming.ts'
import { loginPage, pageHeaders } from '../pages.ts'
import { described, flag, raw } from '../params.ts'
import { form, htmlPage, noBody } from '../schemas/answers.ts'
import * as shape from '../schemas/schema.ts'
import { deleteApp, listApps, registerApp } from './apps.ts'
import { askConsent, giveConsent } from './authorize.ts'
import { accessToken, revokeToken } from './oauth.ts'

const section = 'Additions'

const credentials = {
  user: described(raw(), '3 to 20 letters, digits, `-` and `_`'),
  passwd: described(raw(), '6 to 1024 characters'),
  rem: described(flag(), 'remember the session for a year'),
}
const registration = {
  ...credentials,
  passwd2: described(raw(), 'the password again'),
  email: described(raw(), 'optional; kept outside the log, unverified'),
}
type Registration = Decoded<typeof registration>
type Login = Decoded<typeof credentials>

/** The longest address that mail can be sent to (RFC 5321). */
const LONGEST_EMAIL = 254

const isEmail = (text: string): boolean => text.length <= LONGEST_EMAIL && /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)

const checkForm = ({ passwd, passwd2, email }: Registration): Refusal | undefined => {
  if (email !== '' && !isEmail(email)) return { code: 'BAD_EMAIL', field: 'email' }
  const unfit = checkPassword(passwd)
  if (unfit) return unfit
  return passwd === passwd2 ? undefined : { code: 'BAD_PASSWORD_MATCH', field: 'passwd2' }
}

const newUser = async (app: Context<Registration>): Promise<Either<Refusal, User>> => {
  const { params, ip, command } = app
  const { user: name, passwd: password, email } = params
  const wait = app.config.rateLimits ? registrationWait(app.vault, app.clock, ip) : undefined
  let mayExist = false
  try {
    const registered = await register(
      app,
      {
        name,
        email: email === '' ? undefined : email,
        reserved: app.config.admins,
        check: async () => checkForm(params) ?? (await wait?.begin()),
        hash: () => app.passwords.enter(ip, () => hashPassword(password)),
      },
      command,
    )
    mayExist = E.isRight(registered) || registered.left.code === 'OUTCOME_UNKNOWN'
    return registered
  } finally {
    if (!mayExist) await wait?.cancel()
  }
}

const oldUser = async (app: Context<Login>): Promise<Either<Refusal, User>> => {
  const { viewer, params, ip } = app
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

const welcomeShape = shape.record({ modhash: shape.text(), cookie: shape.text(), need_https: shape.flag })

const common = { method: 'POST', scope: 'any', login: 'anyone', modhash: false, idempotency: false, section } as const

/** What begins a session. */
const beginning = { ...common, needs: { origin: notCrossSite } }

const registerAccount = endpoint({
  ...beginning,
  path: '/api/register',
  aliases: ['/api/register/{user}'],
  errors: 'form',
  json: true,
  answers: { 200: form(welcomeShape) },
  summary: 'Make an account and log in as it.',
  notes: 'Answers `data: {modhash, cookie, need_https}` and sets the session cookie.',
  params: registration,
  handle: async (context) => {
    const user = await newUser(context)
    return E.isLeft(user) ? user : welcome(context, user.right, context.params.rem)
  },
})

const login = endpoint({
  ...beginning,
  path: '/api/login',
  aliases: ['/api/login/{user}'],
  errors: 'form',
  json: true,
  answers: { 200: form(welcomeShape) },
  summary: 'Log in; answers as `/api/register` does.',
  params: credentials,
  handle: async (context) => {
    const user = await oldUser(context)
    return E.isLeft(user) ? user : welcome(context, user.right, context.params.rem)
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
  answers: { 302: noBody },
  summary: 'End the session; then on to `dest`, a path of this site.',
  params: { dest: raw() },
  handle: async ({ params, headers, sessions }) => {
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
  answers: { 302: noBody },
  summary: 'Changes nothing: leads to `dest`.',
  params: { dest: raw() },
  handle: ({ params }) => goTo(safeDestination(params.dest)),
})

const pageOf = (kind: 'login' | 'register', dest: string): Reply => ({
  kind: 'text',
  type: 'text/html; charset=UTF-8',
  body: loginPage(kind, dest, undefined),
  headers: pageHeaders,
})

/** The page again, with what was wrong; with the status of a refusal that has nothing to do with what was sent. */
const pageWith = (kind: 'login' | 'register', dest: string, refusal: Refusal): Reply => {
  const { abort, status, text } = refusals[refusal.code]
  return {
    kind: 'text',
    type: 'text/html; charset=UTF-8',
    body: loginPage(kind, dest, refusal.text ?? text),
    ...(abort && { status }),
    headers: { ...pageHeaders, ...retryAfter(refusal) },
  }
}

const page = (kind: 'login' | 'register') =>
  endpoint({
    ...common,
    method: 'GET',
    path: `/${kind}`,
    errors: 'plain',
    answers: { 200: htmlPage },
    summary: kind === 'login' ? 'The page to log in on.' : 'The page to register on.',
    params: { dest: raw() },
    handle: ({ params }) => pageOf(kind, safeDestination(params.dest)),
  })

/** What a browser's form sends: back to the page with the reason, or on to `dest` with a session. */
const finish = async (
  kind: 'login' | 'register',
  user: Either<Refusal, User>,
  { dest, rem }: { readonly dest: string; readonly rem: boolean },
  { sessions }: App,
): Promise<Either<Refusal, Reply>> => {
  if (E.isLeft(user)) return E.right(pageWith(kind, safeDestination(dest), user.left))
  const { cookie } = await sessions.create(user.right.id, rem)
  return E.right(goTo(safeDestination(dest), sessions.setCookie(cookie, rem)))
}

const loginForm = endpoint({
  ...beginning,
  path: '/post/login',
  errors: 'plain',
  answers: { 200: htmlPage, 302: noBody },
  summary: 'What the login page sends.',
  params: { ...credentials, dest: raw() },
  handle: async (context) => finish('login', await oldUser(context), context.params, context),
})

const registerForm = endpoint({
  ...beginning,
  path: '/post/reg',
  errors: 'plain',
  answers: { 200: htmlPage, 302: noBody },
  summary: 'What the registration page sends.',
  params: { ...registration, dest: raw() },
  handle: async (context) => finish('register', await newUser(context), context.params, context),
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
