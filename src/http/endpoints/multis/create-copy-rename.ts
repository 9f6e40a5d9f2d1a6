import * as E from 'fp-ts/lib/Either.js'
import {
  createMulti,
  defaultContent,
  type Multi,
  type MultiContent,
  type MultiId,
  type OtherMultis,
  putMulti,
  renameMulti,
  type StandingMulti,
} from '../../../domain/multi.ts'
import { copyTexts } from '../../../domain/multi-copies.ts'
import { namesFrom } from '../../../domain/multi-names.ts'
import { multiPath } from '../../../domain/multi-path.ts'
import { limits } from '../../../domain/text-limits.ts'
import { namesOf } from '../../../queries/accounts.ts'
import { type AnyEndpoint, type Context, type Need, section } from '../../contract/endpoint.ts'
import { describeParam, documentRequired, optional, rawText, text } from '../../contract/params.ts'
import { type Refusal, refuseRule } from '../../contract/refusals.ts'
import type { SignedIn } from '../../contract/request.ts'
import { multiShape } from '../../present/multi.ts'
import { expandSrs, firstFree, type MultiChange, multiFrom, multipath, multiThings, ownPath, writeMulti } from '../../things/multis.ts'
import { changesIn, model, parseModel } from './model.ts'

const commonOptions = { scope: 'subscribe', login: 'user', errors: 'coded', whileSuspended: true, accountQuota: 'multi' } as const
const { post, put } = section('Multis', commonOptions)

/** Returns the viewer's requested path; undefined if there is none. */
const placeAsked: Need<MultiId | undefined, { readonly multipath: string }> = ({ viewer, params }) =>
  params.multipath === '' ? E.right(undefined) : ownPath(viewer, params.multipath, 'multipath')

const placePut: Need<MultiId, { readonly multipath: string }> = ({ viewer, params }) => ownPath(viewer, params.multipath, 'multipath')

const changesAsked: Need<Partial<MultiContent>, { readonly model: string }> = async (context) => {
  const parsed = parseModel(context.params.model)
  return E.isLeft(parsed) ? parsed : changesIn(context, parsed.right)
}

/** Returns the reply: the multi as it is now. `status` is that for a new one. */
const replyOf = async (context: Context<unknown, SignedIn>, written: E.Either<Refusal, MultiChange>, expand: boolean, status = 201) => {
  if (E.isLeft(written)) return written
  const [body] = await multiThings(context, [written.right.multi], expand)
  return { kind: 'json', status: written.right.isNew ? status : 200, body } as const
}

const content = { params: { multipath, model, expand_srs: expandSrs } } as const

const create = post('/api/multi/{multipath}', {
  ...content,
  otherPaths: ['/api/filter/{filterpath}', '/api/multi', '/api/filter'],
  answers: { 201: multiShape },
  summary: 'Create a multi.',
  notes:
    '409 if the path is taken. Without a path, the path is made from `display_name`, in ASCII, with a number if it is taken. Keys absent from the model have their defaults: private, no subsites.',
  needs: { id: placeAsked, changes: changesAsked },
  handle: async (context) => {
    const { id, changes, viewer, command, params } = context
    const beginning = { ...defaultContent, ...changes, created: command.at, copiedFrom: null }
    const createAs = (id: MultiId) => writeMulti(context, id, (others) => createMulti(id, beginning, others))
    if (id) return replyOf(context, await createAs(id), params.expand_srs)
    if (changes.displayName === undefined) return refuseRule('BAD_MULTI_PATH', 'multipath')
    const names = namesFrom(changes.displayName, 'display_name')
    if (E.isLeft(names)) return names
    return replyOf(context, await firstFree(viewer.account, names.right, createAs), params.expand_srs)
  },
})

const createOrChange = put('/api/multi/{multipath}', {
  ...content,
  otherPaths: ['/api/filter/{filterpath}'],
  answers: { 200: multiShape, 201: multiShape },
  summary: 'Create a multi, or change the keys of one that the model contains.',
  notes: 'Keys absent from the model are not changed; `subreddits` replaces the whole list. 201 for a new multi.',
  needs: { id: placePut, changes: changesAsked },
  handle: async (context) => {
    const { id, changes, command, params } = context
    const written = await writeMulti(context, id, (others) => putMulti(id, changes, command.at, others))
    return replyOf(context, written, params.expand_srs)
  },
})

type CopyParams = { readonly from: string; readonly to: string; readonly display_name: string | undefined }

/** Returns the candidate names of a copy, of which the first free one is used: the requested one, or those made from the display name. */
const namesAsked = ({ viewer, params }: Context<CopyParams, SignedIn>): E.Either<Refusal, readonly string[]> => {
  const { to, display_name } = params
  if (to !== '') {
    const checked = ownPath(viewer, to, 'to')
    if (E.isLeft(checked)) return checked
    return checked.right.kind === 'm' ? E.right([checked.right.name]) : refuseRule('BAD_MULTI_PATH', 'to')
  }
  return display_name === undefined ? refuseRule('BAD_MULTI_PATH', 'to') : namesFrom(display_name, 'display_name')
}

/** Returns the multi to copy; undefined if it is gone, although the first try of a repeated command may have found it. */
const multiToCopy: Need<StandingMulti | undefined, CopyParams> = async (context) => {
  const source = await multiFrom(context, context.params.from)
  return E.isLeft(source) && context.command.retried ? E.right(undefined) : source
}

/** Returns the names of a copy. Without a path it takes its name from the display name; only the viewer's own multis can be copied so. */
const namesOfCopy: Need<readonly string[], CopyParams, SignedIn, { readonly source: StandingMulti | undefined }> = (context) => {
  const { source, params, viewer } = context
  const names = namesAsked(context)
  const isForeign = params.to === '' && source !== undefined && source.multi.account !== viewer.account
  return E.isRight(names) && isForeign ? refuseRule('MULTI_CANNOT_EDIT', 'to') : names
}

/** Returns the multi to rename; undefined if the first try of a repeated command may have renamed it already. */
const multiToRename: Need<StandingMulti | undefined, CopyParams> = async (context) => {
  const { command, params, viewer } = context
  const source = await multiFrom(context, params.from)
  if (E.isLeft(source)) return command.retried ? E.right(undefined) : source
  return source.right.multi.account === viewer.account ? source : refuseRule('MULTI_CANNOT_EDIT', 'from')
}

const newNames: Need<readonly string[], CopyParams> = (context) =>
  E.mapLeft((refused: Refusal): Refusal => (refused.code === 'MULTI_CANNOT_EDIT' ? { ...refused, status: 400 } : refused))(
    namesAsked(context),
  )

/** Returns the initial content of a copy. */
const copyOf = async ({ documents, viewer, command, params }: Context<CopyParams, SignedIn>, source: Multi) => {
  const { subsites, icon, color, weighting, account, name } = source
  const from = multiPath((await namesOf(documents, [account]))(account), 'm', name)
  const { quotedName, ...texts } = copyTexts(source, from, viewer.account)
  // apps send the name that the multi has, which stays its author's
  const isSame = params.display_name === undefined || params.display_name === quotedName?.text
  const called = isSame ? quotedName && { quotedName } : { displayName: params.display_name }
  return {
    subsites,
    icon,
    color,
    weighting,
    visibility: 'private' as const,
    created: command.at,
    copiedFrom: { account, name },
    ...texts,
    ...called,
  }
}

const copying = {
  answers: { 200: multiShape },
  params: {
    from: describeParam(documentRequired(rawText()), 'path of the multi'),
    to: describeParam(rawText(), 'path of the new one; without it, it is called by its `display_name`'),
    display_name: describeParam(optional(text({ max: limits.multiName, line: true })), 'without it, that of the former one'),
  },
} as const

const copy = post('/api/multi/copy', {
  ...copying,
  otherPaths: ['/api/filter/copy'],
  summary: 'Copy a multi that you may view.',
  notes: 'The copy is private, and its description names the original. 409 if the new path is taken, 403 if it is of another account.',
  needs: { source: multiToCopy, names: namesOfCopy },
  handle: async (context) => {
    const { viewer, source, names } = context
    const beginning = source && (await copyOf(context, source.multi))
    const decideOn = (id: MultiId) => (others: OtherMultis) =>
      beginning ? createMulti(id, beginning, others) : () => refuseRule('MULTI_NOT_FOUND', 'from')
    const copyTo = (id: MultiId) => writeMulti(context, id, decideOn(id))
    return replyOf(context, await firstFree(viewer.account, names, copyTo), false, 200)
  },
})

const rename = post('/api/multi/rename', {
  ...copying,
  otherPaths: ['/api/filter/rename'],
  summary: 'Rename your multi: change its path.',
  notes: 'Only the path changes; the old path does not redirect. 409 if the new path is taken, 400 if it is of another account.',
  needs: { source: multiToRename, names: newNames },
  handle: async (context) => {
    const { viewer, params, source, names } = context
    const decideOn = (id: MultiId) => (others: OtherMultis) =>
      source
        ? renameMulti(source, { name: id.name, displayName: params.display_name }, others)
        : () => refuseRule('MULTI_NOT_FOUND', 'from')
    const renameTo = (id: MultiId) => writeMulti(context, id, decideOn(id), source?.multi)
    return replyOf(context, await firstFree(viewer.account, names, renameTo), false, 200)
  },
})

export const multiWriteEndpoints: readonly AnyEndpoint[] = [create, createOrChange, copy, rename]
