import { setImmediate } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { AccountDocument } from '../../../projections/accounts.ts'
import { type Decide, noEvents } from '../../domain/decision.ts'
import type { AccountId } from '../../domain/ids.ts'
import {
  type Multi,
  type MultiEvent,
  type MultiId,
  MultiStream,
  multiId,
  type OtherMultis,
  type StandingMulti,
  withQuotes,
} from '../../domain/multi.ts'
import { originsIn, withoutOrigins } from '../../domain/multi-origins.ts'
import { type MultiPath, namesNobody, parseMultiPath } from '../../domain/multi-path.ts'
import { makeReserved } from '../../limits/reservations.ts'
import type { DocumentStore } from '../../ports/documents.ts'
import { accountNamed, accountsNamed, namesOf } from '../../queries/accounts.ts'
import { withLogFallback } from '../../queries/log-fallback.ts'
import { multiAt, otherMultis } from '../../queries/multis.ts'
import { subsitesById } from '../../queries/subsites.ts'
import type { Context, Need } from '../contract/endpoint.ts'
import { addAliases, describeParam, flag, rawText } from '../contract/params.ts'
import { type Refusal, refuseRule } from '../contract/refusals.ts'
import type { SignedIn, Viewer } from '../contract/request.ts'
import { renderAhead } from '../present/markdown.ts'
import { multiThing } from '../present/multi.ts'
import { type Fragment, fragment } from '../wire/json-writing.ts'
import { seesOnlyName } from './kinds/account.ts'
import { trimmedSubsites } from './kinds/subsite.ts'

export const multipath = describeParam(
  addAliases(rawText(), 'filterpath'),
  '`user/NAME/m/NAME`, whatever its case; `f/all` and `f/mod` in place of `m/NAME` are filters',
)
export const expandSrs = describeParam(flag(), 'with a record of each subsite')

/** Refuses a path where the viewer may see no multi. */
const noMultiAt = (path: string): E.Either<Refusal, never> =>
  refuseRule(namesNobody(path) ? 'BAD_MULTI_PATH' : 'MULTI_NOT_FOUND', 'multipath')

const isOwn = (viewer: Viewer, { owner }: Pick<MultiPath, 'owner'>): boolean => viewer.name?.toLowerCase() === owner

/** Tells whether a viewer may know of a multi. */
export const maySee = (viewer: Viewer, { account, visibility }: Pick<Multi, 'account' | 'visibility'>): boolean =>
  visibility === 'public' || viewer.admin || viewer.account === account

/** Returns the owner of multis that a viewer may see. Others see only the name of a permanently suspended account. */
export const visibleOwner = async (documents: DocumentStore, name: string, viewer: Viewer): Promise<AccountDocument | undefined> => {
  const account = await accountNamed(documents, name)
  return account && seesOnlyName(viewer, account) ? undefined : account
}

const idOf = async ({ documents, viewer }: Context, path: MultiPath): Promise<MultiId | undefined> => {
  const account = isOwn(viewer, path) ? viewer.account : (await visibleOwner(documents, path.owner, viewer))?.id
  return account === undefined ? undefined : { account, kind: path.kind, name: path.name }
}

/** Returns the multi at a path from the read models, if the viewer may see it. Otherwise it does not exist. */
const visibleMultiAt = async (context: Context, path: string): Promise<E.Either<Refusal, Multi>> => {
  const parsed = parseMultiPath(path, 'multipath')
  const id = E.isRight(parsed) ? await idOf(context, parsed.right) : undefined
  const multi = id && (await multiAt(context.documents, id))
  return multi && maySee(context.viewer, multi) ? E.right(multi) : noMultiAt(path)
}

/** Looks up the multi at a path, for viewers who may see it. */
export const visibleMulti: Need<Multi, { readonly multipath: string }, Viewer> = (context) =>
  visibleMultiAt(context, context.params.multipath)

/** Returns the multi at a path from the log, for copying; `MULTI_NOT_FOUND` also if the viewer may not see it. */
export const multiFrom = async (context: Context, path: string): Promise<E.Either<Refusal, StandingMulti>> => {
  const parsed = parseMultiPath(path, 'from')
  const missing = refuseRule('MULTI_NOT_FOUND', 'from')
  if (E.isLeft(parsed) || parsed.right.kind !== 'm') return missing
  const id = await idOf(context, parsed.right)
  const standing = id && (await context.load(MultiStream, multiId(id)))
  return standing && maySee(context.viewer, standing.multi) ? E.right(standing) : missing
}

/** Checks a path under which the viewer may create something. */
export const ownPath = (viewer: SignedIn, path: string, field: string): E.Either<Refusal, MultiId> => {
  const parsed = parseMultiPath(path, field)
  if (E.isLeft(parsed)) return parsed
  const { kind, name } = parsed.right
  return isOwn(viewer, parsed.right) ? E.right({ account: viewer.account, kind, name }) : refuseRule('MULTI_CANNOT_EDIT', field)
}

/** Looks up the viewer's own path of an existing multi. Another account's is 403 if the viewer may see that multi. */
export const multiEdited: Need<MultiId, { readonly multipath: string }> = async (context) => {
  const path = context.params.multipath
  const checked = ownPath(context.viewer, path, 'multipath')
  if (E.isRight(checked)) return checked
  return checked.left.code === 'MULTI_CANNOT_EDIT' && E.isRight(await visibleMultiAt(context, path)) ? checked : noMultiAt(path)
}

/** The result of a write: the multi as it is now. */
export type MultiChange = { readonly multi: Multi; readonly isNew: boolean; readonly isChanged: boolean }

/** Changes one of the viewer's multis, within the limits that apply to all of them together. `renamed` is the multi that it replaces. */
export const writeMulti = async (
  context: Context<unknown, SignedIn>,
  id: MultiId,
  decide: (others: OtherMultis) => Decide<StandingMulti, MultiEvent>,
  renamed?: MultiId,
): Promise<E.Either<Refusal, MultiChange>> => {
  const write = async (pending: readonly string[], isHeld: boolean) => {
    const others = await otherMultis(
      context.documents,
      renamed ?? id,
      pending.filter((name) => name !== id.name),
    )
    let isGone = false
    const inItsPlace: typeof decide = (counted) => (standing) => {
      isGone = standing === undefined && !isHeld
      return isGone ? noEvents : decide(counted)(standing)
    }
    const outcome = await context.run(MultiStream, multiId(id), inItsPlace(others))
    return { done: outcome, isGone }
  }
  const create = () => {
    const reservation = { name: `multis.${id.account}`, items: [id.name], by: context.command.id }
    return makeReserved(context, reservation, async (pending) => (await write(pending, true)).done)
  }
  const editOrCreate = async () => {
    // a multi that was deleted since has lost its place among all multis of the account
    const { done, isGone } = await write([], id.kind !== 'm')
    return isGone ? create() : done
  }
  const isNew = id.kind === 'm' && (await context.load(MultiStream, multiId(id))) === undefined
  const recorded = await (isNew ? create() : editOrCreate())
  if (E.isLeft(recorded)) return recorded
  const event = recorded.right.events.at(-1)
  if (event?.type === 'MultiCreated' || event?.type === 'MultiEdited')
    return E.right({ multi: event.data, isNew: event.type === 'MultiCreated', isChanged: true })
  const standing = await context.load(MultiStream, multiId(id))
  return standing ? E.right({ multi: standing.multi, isNew: false, isChanged: false }) : refuseRule('MULTI_NOT_FOUND', 'multipath')
}

/** Tries names until one is free. Otherwise returns the last refusal. */
export const firstFree = async (
  account: AccountId,
  names: readonly string[],
  create: (id: MultiId) => Promise<E.Either<Refusal, MultiChange>>,
): Promise<E.Either<Refusal, MultiChange>> => {
  let created: E.Either<Refusal, MultiChange> = refuseRule('MULTI_NOT_FOUND', 'multipath')
  for (const name of names) {
    created = await create({ account, kind: 'm', name })
    if (E.isRight(created) || created.left.code !== 'MULTI_EXISTS') return created
  }
  return created
}

const MAX_ORIGINS = 200

/**
 * Returns multis as they are shown: with the texts that others wrote, and without the names of deleted owners in descriptions of copies.
 */
export const toShownMultis = async (documents: DocumentStore, stored: readonly Multi[]): Promise<readonly Multi[]> => {
  const multis = stored.map(withQuotes)
  const named = [...new Set(multis.flatMap(({ description }) => originsIn(description)).map((name) => name.toLowerCase()))]
  if (named.length === 0) return multis
  const origins = named.slice(0, MAX_ORIGINS)
  const known = new Set((await accountsNamed(documents, origins)).map(({ name }) => name.toLowerCase()))
  const gone = new Set(origins.filter((name) => !known.has(name)))
  return multis.map((multi) => ({
    ...multi,
    description: withoutOrigins(multi.description, (owner) => gone.has(owner.toLowerCase())),
  }))
}

const MULTIS_A_TURN = 4

/** Presents multis as records. Many subsites take time, so other requests get turns in between. */
export const multiThings = async (context: Context, stored: readonly Multi[], expand: boolean): Promise<readonly Fragment[]> => {
  const { viewer } = context
  const documents = withLogFallback(context.documents, context.readStream)
  const multis = await toShownMultis(documents, stored)
  const owners = multis.flatMap(({ account, copiedFrom }) => [account, ...(copiedFrom ? [copiedFrom.account] : [])])
  const names = await namesOf(documents, owners)
  await renderAhead(multis.map(({ description }) => description))
  const things: Fragment[] = []
  for (const [index, multi] of multis.entries()) {
    const found = await subsitesById(documents, multi.subsites)
    const subsites = multi.subsites.flatMap((id) => found.get(id) ?? [])
    const trimmed = expand ? await trimmedSubsites(context, subsites) : []
    const shown = {
      multi,
      owner: names(multi.account),
      canEdit: viewer.account === multi.account,
      source: multi.copiedFrom ? names(multi.copiedFrom.account) : undefined,
      subsites: subsites.map(({ name }, n) => ({ name, ...(expand && { data: trimmed[n] }) })),
    }
    things.push(fragment(multiThing(shown)))
    if (index % MULTIS_A_TURN === MULTIS_A_TURN - 1) await setImmediate()
  }
  return things
}
