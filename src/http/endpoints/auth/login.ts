import type { Either } from 'fp-ts/lib/Either.js'
import * as E from 'fp-ts/lib/Either.js'
import { newIden } from '../../../auth/captcha.ts'
import type { ProvenUser, User } from '../../../auth/login.ts'
import { type AnyEndpoint, type Context, section } from '../../contract/endpoint.ts'
import { retryAfter } from '../../contract/error-responses.ts'
import type { Reply } from '../../contract/handler-response.ts'
import { sessionCookie } from '../../contract/incoming.ts'
import { raw } from '../../contract/params.ts'
import { type Refusal, refusals } from '../../contract/refusals.ts'
import { form, htmlPage, noBody } from '../../contract/schemas/answers.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { captchaParams, captchaRefusal, guardedByCaptcha, needsCaptcha } from '../../needs/captcha.ts'
import { loginPage, pageHeaders } from '../../present/html-pages.ts'
import { notCrossSite } from './cross-site.ts'
import { beginSession, checkFields, credentials, newUser, oldUser, registration, type SignInContext } from './sign-in.ts'

const { get, post } = section('Login and apps', { scope: 'any', login: 'anyone', errors: 'plain' })

/** The response to a login, as session clients expect it. */
const welcome = async (context: SignInContext, user: Either<Refusal, User | ProvenUser>): Promise<Either<Refusal, Reply>> => {
  const { sessions, config, params } = context
  const begun = await beginSession(context, user)
  if (E.isLeft(begun)) return begun
  const { cookie, session } = begun.right
  return E.right({
    kind: 'form',
    data: { modhash: sessions.modhashOf(session), cookie, need_https: config.publicUrl.startsWith('https:') },
    headers: { 'Set-Cookie': sessions.setCookie(cookie, params.rem) },
  })
}

const welcomeShape = shape.record({
  modhash: shape.text('9c8b7a6d5e4f'),
  cookie: shape.text('1f2e3d4c5b6a79880716a5b4c3d2e1f0'),
  need_https: shape.flag,
})

const common = { modhash: false, idempotency: false } as const

/** Parameters that start a session. */
const beginning = { ...common, uses: ['passwords', 'sessions'], needs: { origin: notCrossSite } } as const

const registerAccount = post('/api/register', {
  ...beginning,
  aliases: ['/api/register/{user}'],
  errors: 'form',
  answers: { 200: form(welcomeShape) },
  summary: 'Create an account and log in to it.',
  notes: 'Returns `data: {modhash, cookie, need_https}` and sets the session cookie.',
  params: registration,
  needs: {
    ...beginning.needs,
    fields: async (context) => {
      // without a captcha to use up they are checked after the name is looked up
      const unfit = (await needsCaptcha(context)) ? checkFields(context.params) : undefined
      return unfit ? E.left(unfit) : E.right(context.params)
    },
  },
  handle: async (context) => welcome(context, await newUser(context)),
})

const login = post('/api/login', {
  ...beginning,
  aliases: ['/api/login/{user}'],
  errors: 'form',
  answers: { 200: form(welcomeShape) },
  summary: 'Log in; the response is that of `/api/register`.',
  params: credentials,
  handle: async (context) => welcome(context, await oldUser(context)),
})

/** Only a path of this site, never another site's address in any spelling. */
const safeDestination = (dest: string): string => (/^\/(?![/\\])[^\\\s]*$/.test(dest) ? dest : '/')

const goTo = (location: string, cookie?: string): Reply => ({
  kind: 'redirect',
  location,
  ...(cookie !== undefined && { headers: { 'Set-Cookie': cookie } }),
})

const logout = post('/logout', {
  ...common,
  modhash: true,
  answers: { 302: noBody },
  summary: 'End the session and redirect to `dest`, a path of this site.',
  params: { dest: raw() },
  uses: ['sessions'],
  handle: async ({ params, headers, sessions }) => {
    const cookie = sessionCookie(headers)
    if (cookie !== undefined) await sessions.end(cookie)
    return goTo(safeDestination(params.dest), sessions.setCookie(undefined, false))
  },
})

const logoutPage = get('/logout', {
  ...common,
  answers: { 302: noBody },
  summary: 'Redirects to `dest` without ending the session.',
  params: { dest: raw() },
  handle: ({ params }) => goTo(safeDestination(params.dest)),
})

/** With a captcha, if registering requires one. */
const bodyOf = ({ config }: Pick<Context, 'config'>, kind: 'login' | 'register', dest: string, error?: string): string =>
  loginPage(kind, dest, error, kind === 'register' && config.captcha ? newIden() : undefined)

const pageOf = (app: Pick<Context, 'config'>, kind: 'login' | 'register', dest: string): Extract<Reply, { readonly kind: 'text' }> => ({
  kind: 'text',
  type: 'text/html; charset=UTF-8',
  body: bodyOf(app, kind, dest),
  headers: pageHeaders,
})

/** The form again, with the error; with the status of a refusal that is not about its fields. */
const pageWith = (app: Pick<Context, 'config'>, kind: 'login' | 'register', dest: string, refusal: Refusal): Reply => {
  const { abort, status, text } = refusals[refusal.code]
  return {
    kind: 'text',
    type: 'text/html; charset=UTF-8',
    body: bodyOf(app, kind, dest, refusal.text ?? text),
    ...(abort && { status }),
    headers: { ...pageHeaders, ...retryAfter(refusal) },
  }
}

const page = (kind: 'login' | 'register') =>
  get(`/${kind}`, {
    ...common,
    answers: { 200: htmlPage },
    summary: kind === 'login' ? 'The login page.' : 'The registration page.',
    params: { dest: raw() },
    handle: (context) => {
      const { config, params } = context
      const dest = safeDestination(params.dest)
      const page = pageOf(context, kind, dest)
      if (config.readOnlyAs === undefined) return page
      return { ...page, body: bodyOf(context, kind, dest, refusals.READ_ONLY.explanation) }
    },
  })

/** The submission of a browser's form: returns the form with the error, or redirects to `dest` with a session. */
const finish = async (
  kind: 'login' | 'register',
  user: Either<Refusal, User | ProvenUser>,
  context: SignInContext & Context<{ readonly dest: string }>,
): Promise<Reply> => {
  const { dest, rem } = context.params
  const begun = await beginSession(context, user)
  if (E.isLeft(begun)) return pageWith(context, kind, safeDestination(dest), begun.left)
  return goTo(safeDestination(dest), context.sessions.setCookie(begun.right.cookie, rem))
}

const loginForm = post('/post/login', {
  ...beginning,
  answers: { 200: htmlPage, 302: noBody },
  summary: 'Submits the form of the login page.',
  params: { ...credentials, dest: raw() },
  handle: async (context) => finish('login', await oldUser(context), context),
})

const registerForm = post('/post/reg', {
  ...beginning,
  answers: { 200: htmlPage, 302: noBody },
  summary: 'Submits the form of the registration page.',
  params: { ...registration, ...captchaParams, dest: raw() },
  uses: ['captchas', 'passwords', 'sessions'],
  handle: async (context) => {
    const { params } = context
    const refused = (await needsCaptcha(context)) ? (checkFields(params) ?? (await captchaRefusal(context, params))) : undefined
    return finish('register', refused ? E.left(refused) : await newUser(context), context)
  },
})

export const loginEndpoints: readonly AnyEndpoint[] = [
  guardedByCaptcha(registerAccount, { after: ['origin', 'fields'] }),
  login,
  logout,
  logoutPage,
  page('login'),
  page('register'),
  loginForm,
  registerForm,
]
