import { friendOf } from '../../../queries/friends.ts'
import { type AnyEndpoint, section } from '../../contract/endpoint.ts'
import { answerRefusal, challenge } from '../../contract/error-responses.ts'
import { refuseRule } from '../../contract/refusals.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { thingShape } from '../../contract/schemas/things.ts'
import { accountThing, fieldsOfSession, ownAccountShape, sessionAccountShape } from '../../present/account.ts'
import { ownRecord } from '../../things/own-account.ts'

const answerOwn = async (context: Parameters<typeof ownRecord>[0]) => {
  const record = await ownRecord(context)
  return record ? ({ kind: 'json', body: record } as const) : refuseRule('USER_REQUIRED')
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
    const record = await ownRecord(context)
    if (!record || viewer.account === undefined) return { kind: 'json', body: { data: { features: {} } } }
    const isFriend = (await friendOf(documents, viewer.account, viewer.account)) !== undefined
    return { kind: 'json', body: accountThing({ ...record, ...fieldsOfSession({ isFriend, modhash: viewer.modhash }) }) }
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

export const ownEndpoints: readonly AnyEndpoint[] = [me, meOfSession, accountOfSession]
