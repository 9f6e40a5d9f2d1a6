import * as E from 'fp-ts/lib/Either.js'
import type { AccountId } from '../../../domain/ids.ts'
import { deleteMulti, MultiStream, multiId } from '../../../domain/multi.ts'
import { mayBeUsername } from '../../../domain/names.ts'
import { multisOf } from '../../../queries/multis.ts'
import { type AnyEndpoint, type Need, section } from '../../contract/endpoint.ts'
import { rawText } from '../../contract/params.ts'
import { refuseRule } from '../../contract/refusals.ts'
import type { Viewer } from '../../contract/request.ts'
import { noBody } from '../../contract/schemas/answers.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { multiShape } from '../../present/multi.ts'
import { expandSrs, maySee, multiEdited, multipath, multiThings, visibleMulti, visibleOwner } from '../../things/multis.ts'

const { delete: del, get } = section('Multis', { scope: 'read', login: 'anyone', errors: 'coded' })

const show = get('/api/multi/{multipath}', {
  otherPaths: ['/api/filter/{filterpath}'],
  answers: { 200: multiShape },
  summary: 'A multi and the names of its subsites.',
  notes: '404 if it is private or hidden and not yours.',
  params: { multipath, expand_srs: expandSrs },
  needs: { multi: visibleMulti },
  handle: async (context) => {
    const [body] = await multiThings(context, [context.multi], context.params.expand_srs)
    return { kind: 'json', body }
  },
})

const mine = get('/api/multi/mine', {
  otherPaths: ['/api/filter/mine', '/prefs/multis'],
  login: 'user',
  answers: { 200: shape.listOf(multiShape) },
  summary: 'Your multis, by name.',
  params: { expand_srs: expandSrs },
  handle: async (context) => {
    const multis = await multisOf(context.documents, context.viewer.account)
    return { kind: 'json', body: await multiThings(context, multis, context.params.expand_srs) }
  },
})

const ownerMeant: Need<AccountId, { readonly username: string }, Viewer> = async ({ documents, params, viewer }) => {
  if (!mayBeUsername(params.username)) return refuseRule('BAD_MULTI_PATH', 'username')
  const owner = await visibleOwner(documents, params.username, viewer)
  return owner ? E.right(owner.id) : refuseRule('USER_DOESNT_EXIST', 'username')
}

const ofUser = get('/api/multi/user/{username}', {
  otherPaths: ['/api/filter/user/{username}'],
  answers: { 200: shape.listOf(multiShape) },
  summary: 'The public multis of an account, by name.',
  notes: 'Your own list includes private ones. For other viewers, a permanently suspended account is 400, like an unknown one.',
  params: { username: rawText(), expand_srs: expandSrs },
  needs: { owner: ownerMeant },
  handle: async (context) => {
    const { documents, params, viewer, owner } = context
    const multis = (await multisOf(documents, owner)).filter((multi) => maySee(viewer, multi))
    return { kind: 'json', body: await multiThings(context, multis, params.expand_srs) }
  },
})

const remove = del('/api/multi/{multipath}', {
  otherPaths: ['/api/filter/{filterpath}'],
  scope: 'subscribe',
  login: 'user',
  whileSuspended: true,
  accountQuota: 'multi',
  answers: { 200: noBody },
  summary: 'Delete a multi.',
  notes: 'Copies of it stay.',
  params: { multipath, expand_srs: expandSrs },
  needs: { id: multiEdited },
  handle: async (context) => {
    const outcome = await context.run(MultiStream, multiId(context.id), deleteMulti(context.id))
    return E.isLeft(outcome) ? outcome : { kind: 'empty', status: 200 }
  },
})

export const multiReadEndpoints: readonly AnyEndpoint[] = [mine, ofUser, show, remove]
