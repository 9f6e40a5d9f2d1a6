import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import { links } from '../../../projections/links.ts'
import type { ModLogDocument } from '../../../projections/mod-log.ts'
import { refuse } from '../../domain/decision.ts'
import { type AccountId, kindOf, type SubsiteId } from '../../domain/ids.ts'
import type { Refusal } from '../../domain/refusal.ts'
import { accountsNamed, namesOf } from '../../queries/accounts.ts'
import { modLogEntry, modLogPage } from '../../queries/mod-log.ts'
import { relationsOf } from '../../queries/relations.ts'
import { subsitesById } from '../../queries/subsites.ts'
import type { From } from '../../queries/walk.ts'
import { type Context, endpoint, type PageRequest, type Site, type Viewer } from '../endpoint.ts'
import { described, lenient, oneOf, optional, raw } from '../params.ts'
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
const fromOf = async (app: Context, { after, before }: PageRequest, subsites: readonly SubsiteId[]): Promise<Either<Refusal, From>> => {
  const id = /^ModAction_(.+)$/i.exec(before ?? after ?? '')?.[1]?.toLowerCase()
  const known = id === undefined ? undefined : await modLogEntry(app.documents, id)
  if (!known) return E.right(undefined)
  if (!subsites.includes(known.entry.subsite)) {
    const elsewhere = await subsitesById(app.documents, [known.entry.subsite])
    if ((await visible(app, [...elsewhere.values()])).length === 0) return E.left(forbidden)
  }
  return E.right(before === undefined ? { after: [known.position] } : { before: [known.position] })
}

const presented = async ({ documents }: Context, entries: readonly ModLogDocument[]): Promise<readonly object[]> => {
  const targets = entries.flatMap(({ target }) => target ?? [])
  const threads = [...new Set(targets.flatMap(({ id, link }) => (kindOf(id) === 'comment' && link !== null ? [link] : [])))]
  const [names, subsites, under] = await Promise.all([
    namesOf(documents, [...entries.map(({ mod }) => mod), ...targets.map(({ author }) => author)]),
    subsitesById(
      documents,
      entries.map(({ subsite }) => subsite),
    ),
    threads.length === 0 ? new Map() : documents.getMany(links, threads),
  ])
  return entries.map((entry) => modAction(entry, { names, subsites, links: under }))
}

/** The accounts of a list of names; undefined (no filter) when none is known. */
const moderatorsNamed = async ({ documents }: Context, names: string): Promise<readonly AccountId[] | undefined> => {
  const known = await accountsNamed(
    documents,
    names.split(/[\s,]+/).filter((name) => name !== ''),
  )
  return known.length === 0 ? undefined : known.map(({ id }) => id)
}

export const modLog = endpoint({
  method: 'GET',
  path: '[/s/{sub}]/about/log',
  scope: 'read',
  login: 'anyone',
  errors: 'plain',
  listing: { max: 500 },
  section: 'Moderation',
  summary: 'Everything moderators did, newest first.',
  cachedOn: ['mod_log', 'subsites'],
  notes:
    'Public wherever the subsite is, and kept for ever. Targets are described as they were at the act. Without a subsite in the path: of all that the caller moderates.',
  params: {
    mod: described(optional(raw()), 'names of moderators, separated by commas; `a`: whatever admins did'),
    type: described(lenient(optional(oneOf(...modActions)), undefined), 'only this kind of act'),
  },
  handle: async ({ params, site, viewer, page }, app) => {
    const subsites = await subsitesOf(app, viewer, site)
    if (E.isLeft(subsites)) return subsites
    const from = await fromOf(app, page, subsites.right)
    if (E.isLeft(from)) return from
    const admins = params.mod?.trim() === 'a'
    const mods = admins ? undefined : await moderatorsNamed(app, params.mod ?? '')
    const filter = { subsites: subsites.right, action: params.type, mods, admins }
    const { items, after, before } = await modLogPage(app.documents, filter, page.limit, from.right)
    return E.right({
      kind: 'listing',
      children: await presented(app, items),
      after: after ? modActionName(after.id) : null,
      before: before ? modActionName(before.id) : null,
    })
  },
})
