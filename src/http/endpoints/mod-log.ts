import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import { comments } from '../../../projections/comments.ts'
import { links } from '../../../projections/links.ts'
import type { ModLogDocument, ModTarget } from '../../../projections/mod-log.ts'
import { refuse } from '../../domain/decision.ts'
import { type Kind, kindOf } from '../../domain/ids.ts'
import { modActionNames } from '../../domain/mod-actions.ts'
import type { Refusal } from '../../domain/refusal.ts'
import type { Anchor } from '../../ports/documents.ts'
import { accountsNamed, namesOf } from '../../queries/accounts.ts'
import { type ModLogFilter, matches, modLogEntries, modLogEntry, modLogOf, orderOf } from '../../queries/mod-log.ts'
import { reading } from '../../queries/reading.ts'
import { subsitesById } from '../../queries/subsites.ts'
import { type Context, endpoint } from '../endpoint.ts'
import { list } from '../listing.ts'
import { described, optional, raw, strictInteger } from '../params.ts'
import { modAction, modActionName } from '../present/mod-action.ts'
import { modActionShape } from '../schemas/subsites.ts'
import { listingShape, thingShape } from '../schemas/things.ts'
import { moderatedHere } from '../scope.ts'
import { visible } from '../viewed.ts'

/** Where a page starts or ends; an unknown name is none, an entry of a subsite that the viewer may not view is refused. */
const anchorIn =
  (context: Context, filter: ModLogFilter) =>
  async (name: string): Promise<Either<Refusal, Anchor | undefined>> => {
    const id = /^modaction_(.+)$/.exec(name)?.[1]
    const known = id === undefined ? undefined : await modLogEntry(context.documents, id, filter)
    if (!known || filter.subsites.includes(known.entry.subsite)) return E.right(known?.anchor)
    const elsewhere = await subsitesById(context.documents, [known.entry.subsite])
    return (await visible(context, [...elsewhere.values()])).length === 0 ? refuse('FORBIDDEN') : E.right(known.anchor)
  }

const presented = async (app: Context, entries: readonly ModLogDocument[]): Promise<readonly object[]> => {
  const { documents } = app
  const targets = entries.flatMap(({ target }) => target ?? [])
  const read = reading(app, app.viewer)
  const ids = (kind: Kind) => targets.flatMap(({ id }) => (kindOf(id) === kind ? id : []))
  const threads = targets.flatMap(({ link }) => link ?? [])
  const [names, subsites, targeted, replies] = await Promise.all([
    namesOf(documents, [...entries.map(({ mod }) => mod), ...targets.map(({ author }) => author)]),
    subsitesById(
      documents,
      entries.map(({ subsite }) => subsite),
    ),
    documents.getMany(links, [...ids('link'), ...threads]),
    documents.getMany(comments, ids('comment')),
    read.places(entries.map(({ subsite }) => subsite)),
  ])
  const isGone = ({ id }: ModTarget) => kindOf(id) !== 'account' && (targeted.get(id) ?? replies.get(id))?.deleted !== false
  return entries.map((entry) => modAction(entry, { names, subsites, links: targeted, isGone, moderates: read.isModerator }))
}

/** The values of a list, separated by commas or spaces; undefined for none. */
const listed = (text: string | undefined): readonly string[] | undefined => {
  const values = (text ?? '').split(/[\s,]+/).filter((value) => value !== '')
  return values.length === 0 ? undefined : values
}

const MOST_MODS = 25
const ADMINS = 'a'

/** Whose acts are asked for; a name that nobody has stands for nobody. */
const actorsNamed = async (
  { documents }: Context,
  names: readonly string[] | undefined,
): Promise<Either<Refusal, ModLogFilter['actors']>> => {
  if (names === undefined) return E.right(undefined)
  if (names.length > MOST_MODS) return E.left({ code: 'BAD_REQUEST', field: 'mod', text: `at most ${MOST_MODS} names` })
  const known = await accountsNamed(
    documents,
    names.filter((name) => name !== ADMINS),
  )
  return E.right([...(names.includes(ADMINS) ? [{ isAdmin: true } as const] : []), ...known.map(({ id }) => ({ mod: id }))])
}

const seconds = optional(strictInteger({ min: 0, max: 100_000_000_000 }))

export const modLog = endpoint({
  method: 'GET',
  path: '[/s/{sub}]/about/log',
  scope: 'read',
  login: 'anyone',
  errors: 'plain',
  listing: { max: 500 },
  rss: true,
  section: 'Moderation',
  answers: { 200: listingShape(thingShape('modaction', modActionShape)) },
  summary: 'Everything moderators did, newest first.',
  cache: 'public',
  notes:
    'Public wherever the subsite is, and kept for ever. Targets are described as they were at the act. Who does not moderate the subsite reads no notes of bans, and neither title nor text of what its author has deleted since. Without a subsite in the path: of all that the caller moderates.',
  params: {
    mod: described(
      optional(raw()),
      `names of at most ${MOST_MODS} moderators, separated by commas; \`a\`: whatever admins did. A name nobody has matches nothing.`,
    ),
    type: described(optional(raw()), `kinds of act, separated by commas; an unknown one matches nothing: ${modActionNames.join(', ')}`),
    target: described(optional(raw()), 'fullname of what was acted on: a link, a comment or an account'),
    since: described(seconds, 'seconds since 1970: no entry from before'),
    until: described(seconds, 'seconds since 1970: no entry from after'),
  },
  needs: { subsites: moderatedHere },
  handle: async (context) => {
    const { params, subsites, documents } = context
    const actors = await actorsNamed(context, listed(params.mod))
    if (E.isLeft(actors)) return actors
    const filter: ModLogFilter = {
      subsites,
      actors: actors.right,
      actions: listed(params.type)?.filter((type) => modActionNames.some((action) => action === type)),
      target: listed(params.target)?.join(' ').toLowerCase(),
      since: params.since === undefined ? undefined : params.since * 1000,
      until: params.until === undefined ? undefined : (params.until + 1) * 1000,
    }
    return list({
      source: modLogOf(documents, filter),
      order: ['mod log', ...orderOf(filter)],
      visible: (places) => places.filter((place) => matches(place, filter)),
      nameOf: ({ id }) => modActionName(id),
      anchor: anchorIn(context, filter),
      present: async (places) => presented(context, await modLogEntries(documents, places)),
    })
  },
})
