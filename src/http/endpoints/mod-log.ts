import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import { comments } from '../../../projections/comments.ts'
import { links } from '../../../projections/links.ts'
import type { ModLogDocument, ModTarget } from '../../../projections/mod-log.ts'
import { refuse } from '../../domain/decision.ts'
import { type Kind, kindOf, type SubsiteId } from '../../domain/ids.ts'
import type { Refusal } from '../../domain/refusal.ts'
import { accountsNamed, namesOf } from '../../queries/accounts.ts'
import { type ModLogFilter, modLogEntry, modLogPage } from '../../queries/mod-log.ts'
import { reading } from '../../queries/reading.ts'
import { relationsOf } from '../../queries/relations.ts'
import { subsitesById } from '../../queries/subsites.ts'
import type { From } from '../../queries/walk.ts'
import { type Context, endpoint, type PageRequest, type Site, type Viewer } from '../endpoint.ts'
import { described, optional, raw, strictInteger } from '../params.ts'
import { modAction, modActionName } from '../present/mod-action.ts'
import { visible } from '../viewed.ts'

/** Every act that the interface names. */
export const modActions = [
  'banuser',
  'unbanuser',
  'removelink',
  'approvelink',
  'removecomment',
  'approvecomment',
  'addmoderator',
  'invitemoderator',
  'uninvitemoderator',
  'acceptmoderatorinvite',
  'removemoderator',
  'addcontributor',
  'removecontributor',
  'editsettings',
  'editflair',
  'distinguish',
  'marknsfw',
  'wikibanned',
  'wikicontributor',
  'wikiunbanned',
  'wikipagelisted',
  'removewikicontributor',
  'wikirevise',
  'wikipermlevel',
  'ignorereports',
  'unignorereports',
  'setpermissions',
  'setsuggestedsort',
  'sticky',
  'unsticky',
  'setcontestmode',
  'unsetcontestmode',
  'lock',
  'unlock',
  'muteuser',
  'unmuteuser',
  'createrule',
  'editrule',
  'deleterule',
] as const

const forbidden: Refusal = { code: 'FORBIDDEN', field: null }

/** The subsites whose log a path shows: one, several, or all that the caller moderates. */
const subsitesOf = async (app: Context, viewer: Viewer, site: Site): Promise<Either<Refusal, readonly SubsiteId[]>> => {
  switch (site.kind) {
    case 'subsite':
      return E.right([site.subsite.id])
    case 'several':
      return E.right(site.subsites.map(({ id }) => id))
    case 'home':
    case 'moderated': {
      if (viewer.account === undefined) return E.left(forbidden)
      const moderated = await relationsOf(app.documents, viewer.account, 'moderator')
      const subsites = await subsitesById(
        app.documents,
        moderated.map(({ subsite }) => subsite),
      )
      const except = new Set(site.kind === 'moderated' ? site.except.map(({ id }) => id) : [])
      const seen = (await visible(app, [...subsites.values()])).filter(({ id }) => !except.has(id))
      return seen.length === 0 ? E.left(forbidden) : E.right(seen.map(({ id }) => id))
    }
    default:
      return refuse('NOT_FOUND')
  }
}

/** Where a page starts or ends; an unknown name is the first page, an entry of a subsite that the caller may not view is refused. */
const fromOf = async (app: Context, { after, before }: PageRequest, filter: ModLogFilter): Promise<Either<Refusal, From>> => {
  const id = /^ModAction_(.+)$/i.exec(before ?? after ?? '')?.[1]?.toLowerCase()
  const known = id === undefined ? undefined : await modLogEntry(app.documents, id, filter)
  if (!known) return E.right(undefined)
  if (!filter.subsites.includes(known.entry.subsite)) {
    const elsewhere = await subsitesById(app.documents, [known.entry.subsite])
    if ((await visible(app, [...elsewhere.values()])).length === 0) return E.left(forbidden)
  }
  return E.right(before === undefined ? { after: known.anchor } : { before: known.anchor })
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
  section: 'Moderation',
  summary: 'Everything moderators did, newest first.',
  cachedOn: ['mod_log', 'subsites', 'links', 'comments'],
  notes:
    'Public wherever the subsite is, and kept for ever. Targets are described as they were at the act. Who does not moderate the subsite reads no notes of bans, and neither title nor text of what its author has deleted since. Without a subsite in the path: of all that the caller moderates.',
  params: {
    mod: described(
      optional(raw()),
      `names of at most ${MOST_MODS} moderators, separated by commas; \`a\`: whatever admins did. A name nobody has matches nothing.`,
    ),
    type: described(optional(raw()), `kinds of act, separated by commas; an unknown one matches nothing: ${modActions.join(', ')}`),
    target: described(optional(raw()), 'fullname of what was acted on: a link, a comment or an account'),
    since: described(seconds, 'seconds since 1970: no entry from before'),
    until: described(seconds, 'seconds since 1970: no entry from after'),
  },
  handle: async ({ params, site, viewer, page }, app) => {
    const subsites = await subsitesOf(app, viewer, site)
    if (E.isLeft(subsites)) return subsites
    const actors = await actorsNamed(app, listed(params.mod))
    if (E.isLeft(actors)) return actors
    const filter: ModLogFilter = {
      subsites: subsites.right,
      actors: actors.right,
      actions: listed(params.type)?.filter((type) => modActions.some((action) => action === type)),
      target: listed(params.target)?.join(' ').toLowerCase(),
      since: params.since === undefined ? undefined : params.since * 1000,
      until: params.until === undefined ? undefined : (params.until + 1) * 1000,
    }
    const from = await fromOf(app, page, filter)
    if (E.isLeft(from)) return from
    const { items, after, before } = await modLogPage(app.documents, filter, page.limit, from.right)
    return E.right({
      kind: 'listing',
      children: await presented(app, items),
      after: after ? modActionName(after.id) : null,
      before: before ? modActionName(before.id) : null,
    })
  },
})
