import * as E from 'fp-ts/lib/Either.js'
import { newIden } from '../../../auth/captcha.ts'
import type { ProvenUser, User } from '../../../auth/login.ts'
import { pathWithin } from '../../contract/cross-site.ts'
import { type AnyEndpoint, type Context, section } from '../../contract/endpoint.ts'
import { retryAfter } from '../../contract/error-responses.ts'
import type { FramedContent, Reply } from '../../contract/handler-response.ts'
import { sessionCookie } from '../../contract/incoming.ts'
import { rawText } from '../../contract/params.ts'
import { type Refusal, refusals } from '../../contract/refusals.ts'
import { form, htmlPage, noBody } from '../../contract/schemas/answers.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { captchaParams, captchaRefusal, guardByCaptcha, needsCaptcha } from '../../needs/captcha.ts'
import { type LoginForm, loginPage, ownPage } from '../../present/html-pages.ts'
import { notCrossSite } from './cross-site.ts'
import { beginSession, checkFields, credentials, newUser, oldUser, registration, type SignInContext } from './sign-in.ts'

const { get, post } = section('Login and apps', { scope: 'any', login: 'anyone', errors: 'plain' })

/** Returns the response to a login, as session clients expect it. */
const welcome = async (context: SignInContext, user: E.Either<Refusal, User | ProvenUser>): Promise<E.Either<Refusal, Reply>> => {
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

const welcomeShape = shape.recordSchema({
  modhash: shape.text('9c8b7a6d5e4f'),
  cookie: shape.text('1f2e3d4c5b6a79880716a5b4c3d2e1f0'),
  need_https: shape.flag,
})

const common = { modhash: false, idempotency: false } as const

/** The shared properties of endpoints that start a session. */
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

const safeDestination = (dest: string): string => pathWithin(dest) ?? '/'

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
  params: { dest: rawText() },
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
  params: { dest: rawText() },
  handle: ({ params }) => goTo(safeDestination(params.dest)),
})

/** Returns the form, with a captcha if registering requires one. */
const formOf = ({ config }: Pick<Context, 'config'>, form: Omit<LoginForm, 'captcha'>): FramedContent =>
  loginPage({ ...form, captcha: form.kind === 'register' && config.captcha ? newIden() : undefined })

/** Returns the form again, with the reason at its field, or with the status of a refusal that is not about its fields. */
const pageWith = (app: Pick<Context, 'config'>, kind: 'login' | 'register', dest: string, user: string, refusal: Refusal): Reply => {
  const { abort, status, text } = refusals[refusal.code]
  const error = { text: refusal.text ?? text, field: refusal.field }
  const content = formOf(app, { kind, dest, error, typed: { user } })
  return ownPage(content, { ...(abort && { status }), headers: retryAfter(refusal) })
}

const page = (kind: 'login' | 'register') =>
  get(`/${kind}`, {
    ...common,
    answers: { 200: htmlPage },
    summary: kind === 'login' ? 'The login page.' : 'The registration page.',
    params: { dest: rawText() },
    handle: (context) => {
      const { config, params } = context
      const isClosed = config.readOnlyAs !== undefined && refusals.READ_ONLY.explanation
      const closed = isClosed ? { isClosed: true, error: { text: isClosed, field: null } } : {}
      return ownPage(formOf(context, { kind, dest: safeDestination(params.dest), ...closed }))
    },
  })

/** Answers the submission of a browser's form: returns the form with the error, or redirects to `dest` with a session. */
const finish = async (
  kind: 'login' | 'register',
  user: E.Either<Refusal, User | ProvenUser>,
  context: SignInContext & Context<{ readonly dest: string }>,
): Promise<Reply> => {
  const { dest, rem } = context.params
  const session = await beginSession(context, user)
  if (E.isLeft(session)) return pageWith(context, kind, safeDestination(dest), context.params.user, session.left)
  return goTo(safeDestination(dest), context.sessions.setCookie(session.right.cookie, rem))
}

const loginForm = post('/post/login', {
  ...beginning,
  answers: { 200: htmlPage, 302: noBody },
  summary: 'Submits the form of the login page.',
  params: { ...credentials, dest: rawText() },
  handle: async (context) => finish('login', await oldUser(context), context),
})

const registerForm = post('/post/reg', {
  ...beginning,
  answers: { 200: htmlPage, 302: noBody },
  summary: 'Submits the form of the registration page.',
  params: { ...registration, ...captchaParams, dest: rawText() },
  uses: ['captchas', 'passwords', 'sessions'],
  handle: async (context) => {
    const { params } = context
    const refused = (await needsCaptcha(context)) ? (checkFields(params) ?? (await captchaRefusal(context, params))) : undefined
    return finish('register', refused ? E.left(refused) : await newUser(context), context)
  },
})

export const loginEndpoints: readonly AnyEndpoint[] = [
  guardByCaptcha(registerAccount, { after: ['origin', 'fields'] }),
  login,
  logout,
  logoutPage,
  page('login'),
  page('register'),
  loginForm,
  registerForm,
]
