import * as E from 'fp-ts/lib/Either.js'
import { parseScopes } from '../../../auth/scope-string.ts'
import { isScope, type Scope, scopes } from '../../../auth/scopes.ts'
import { friendOf } from '../../../queries/friends.ts'
import { type AnyEndpoint, section } from '../../contract/endpoint.ts'
import { answerRefusal, challenge } from '../../contract/error-responses.ts'
import { describeParam, optional, rawText } from '../../contract/params.ts'
import { refuseRule } from '../../contract/refusals.ts'
import { refused } from '../../contract/schemas/answers.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { thingShape } from '../../contract/schemas/things.ts'
import { accountThing, fieldsOfSession, ownAccountShape, sessionAccountShape } from '../../present/account.ts'
import { ownRecord } from '../../things/own-account.ts'

const answerOwn = async (context: Parameters<typeof ownRecord>[0]) => {
  const own = await ownRecord(context)
  return own ? ({ kind: 'json', body: own } as const) : refuseRule('USER_REQUIRED')
}

const me = section('Account').get('/api/v1/me', {
  scope: 'identity',
  login: 'token',
  errors: 'coded',
  answers: { 200: ownAccountShape },
  summary: 'The account of the token.',
  notes: '`has_mail` and `has_mod_mail` are present only for tokens that may read messages.',
  handle: answerOwn,
})

const meOfSession = section('Account').get('/api/me.json', {
  scope: 'any',
  login: 'anyone',
  errors: 'plain',
  answers: {
    200: shape.union(
      thingShape('t2', sessionAccountShape),
      shape.recordSchema({ data: shape.recordSchema({ features: shape.recordSchema({}) }) }),
    ),
  },
  summary: 'The account of the session, with its modhash.',
  notes: 'Anonymous callers get no account. Tokens use `/api/v1/me`.',
  handle: async (context) => {
    const { viewer, documents } = context
    if (viewer.via === 'token')
      return {
        kind: 'json',
        ...answerRefusal('plain', { code: 'SESSION_REQUIRED', field: null, text: 'A token asks /api/v1/me.' }, context.config.publicUrl),
        headers: challenge('invalid_request'),
      }
    const own = await ownRecord(context)
    if (!own || viewer.account === undefined) return { kind: 'json', body: { data: { features: {} } } }
    const isFriend = (await friendOf(documents, viewer.account, viewer.account)) !== undefined
    return { kind: 'json', body: accountThing({ ...own, ...fieldsOfSession({ isFriend, modhash: viewer.modhash }) }) }
  },
})

const accountOfSession = section('Account').get('/prefs/account', {
  scope: 'any',
  login: 'session',
  errors: 'coded',
  answers: { 200: ownAccountShape },
  summary: 'The account of the session, as its own record.',
  notes: 'Tokens use `/api/v1/me`.',
  handle: answerOwn,
})

const describe = (names: readonly Scope[]) => Object.fromEntries(names.map((name) => [name, { id: name, name, description: scopes[name] }]))

const allScopes = Object.keys(scopes).filter(isScope)

const scopeShape = shape.recordSchema({ id: shape.text('read'), name: shape.text('read'), description: shape.text('Read content.') })

const describeScopes = section('Miscellaneous').get('/api/v1/scopes', {
  scope: 'any',
  login: 'anyone',
  errors: 'coded',
  answers: {
    200: shape.someOf(Object.fromEntries(allScopes.map((name) => [name, scopeShape]))),
    400: shape.union(
      shape.recordSchema({
        message: shape.text('Bad Request'),
        error: shape.constant('invalid_scopes'),
        invalid_scopes: shape.listOf(shape.text('reed')),
        reason: shape.constant('OAUTH2_INVALID_SCOPE'),
        explanation: shape.text('there are no such scopes'),
        documentation_url: shape.text('https://rostra.example/docs/errors#OAUTH2_INVALID_SCOPE'),
      }),
      refused,
    ),
  },
  summary: 'The OAuth scopes and what each of them allows.',
  params: { scopes: describeParam(optional(rawText()), 'a scope string; absent: all scopes') },
  handle: ({ params, config }) => {
    if (params.scopes === undefined) return { kind: 'json', body: describe(allScopes) }
    const parsed = parseScopes(params.scopes)
    const unknown = E.isLeft(parsed) ? parsed.left : parsed.right.scopes === '*' ? ['*'] : []
    if (unknown.length > 0)
      return {
        kind: 'json',
        status: 400,
        body: {
          ...answerRefusal('coded', { code: 'OAUTH2_INVALID_SCOPE', field: null, text: 'there are no such scopes' }, config.publicUrl).body,
          error: 'invalid_scopes',
          invalid_scopes: unknown,
        },
      }
    return { kind: 'json', body: describe(E.isRight(parsed) && parsed.right.scopes !== '*' ? parsed.right.scopes : allScopes) }
  },
})

export const ownEndpoints: readonly AnyEndpoint[] = [me, meOfSession, accountOfSession, describeScopes]
