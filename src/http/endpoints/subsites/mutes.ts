import * as E from 'fp-ts/lib/Either.js'
import { type MuteAndBlockDocument, muteAndBlockId, mutesAndBlocks } from '../../../../projections/mutes-and-blocks.ts'
import { moderates } from '../../../commands/standings.ts'
import type { SubsiteId } from '../../../domain/ids.ts'
import { MAX_MUTED_SUBSITES, MuteAndBlock, muteSubsite, unmuteSubsite } from '../../../domain/mutes-and-blocks.ts'
import { Subsite } from '../../../domain/subsite.ts'
import { getOne } from '../../../ports/documents.ts'
import { countMuted, listMuted } from '../../../queries/mutes-and-blocks.ts'
import { subsitesById } from '../../../queries/subsites.ts'
import { type AnyEndpoint, type Context, type Need, section } from '../../contract/endpoint.ts'
import { fullname } from '../../contract/name-params.ts'
import { describeParam, replaceRefusal } from '../../contract/params.ts'
import { refuseRule } from '../../contract/refusals.ts'
import type { SignedIn } from '../../contract/request.ts'
import { andThen, loadThing, withRefusal } from '../../needs/facts.ts'
import { subsiteThings, visible } from '../../things/kinds/subsite.ts'
import { list } from '../../things/listing.ts'

const { post } = section('Subsites', { scope: 'save', login: 'user', errors: 'silent' })

/** Lists the subsites that the viewer muted and may view, the latest mute first. */
export const mutedSubsites = (context: Context<unknown, SignedIn>) => {
  const { documents, viewer } = context
  const source = listMuted(documents, viewer.account)
  const subsitesOf = async (mutes: readonly MuteAndBlockDocument[]) => {
    const found = await subsitesById(
      documents,
      mutes.map(({ subsite }) => subsite),
    )
    return mutes.flatMap(({ subsite }) => found.get(subsite) ?? [])
  }
  return list<MuteAndBlockDocument>({
    source,
    order: [`muted by ${viewer.account}`],
    nameOf: ({ subsite }) => subsite,
    anchor: async (name) => {
      const avoidance = await getOne(documents, mutesAndBlocks, muteAndBlockId(viewer.account, name))
      return avoidance?.muted ? { key: source.keyOf(avoidance), viewable: true } : undefined
    },
    visible: async (mutes) => {
      const shown = new Set((await visible(context, await subsitesOf(mutes))).map(({ id }) => id))
      return mutes.filter(({ subsite }) => shown.has(subsite))
    },
    present: async (mutes) => subsiteThings(context, await subsitesOf(mutes)),
  })
}

const subsiteMeant: Need<SubsiteId, { readonly id: string }> = andThen(withRefusal('BAD_REQUEST', loadThing(Subsite, 'id')), ({ id }) =>
  E.right(id),
)

/** Refuses to mute a subsite that the viewer moderates, or more than so many. */
const mutable = andThen(subsiteMeant, async (subsite, context) => {
  const { load, documents, viewer } = context
  const { account } = viewer
  if (await moderates(context, { subsite, account })) return refuseRule('BAD_REQUEST', 'id')
  const isMuted = (await load(MuteAndBlock, `${account}.${subsite}`))?.muted ?? false
  return !isMuted && (await countMuted(documents, account, MAX_MUTED_SUBSITES)) >= MAX_MUTED_SUBSITES
    ? refuseRule('TOO_MANY_MUTED')
    : E.right(subsite)
})

const common = {
  whileSuspended: true,
  params: { id: describeParam(replaceRefusal(fullname('subsite'), 'BAD_REQUEST'), 'fullname of a subsite') },
} as const

const mute = post('/api/mute_subsite', {
  ...common,
  aliases: ['/api/mute_subreddit'],
  summary: 'Mute a subsite: leave it out of your `/s/all`.',
  notes: `Its own pages and your front page still show it. A subsite that you moderate or that does not exist is 400, and so is muting more than ${MAX_MUTED_SUBSITES}.`,
  needs: { subsite: mutable },
  accountQuota: 'avoid',
  handle: ({ viewer: { account }, subsite, run }) => run(MuteAndBlock, `${account}.${subsite}`, muteSubsite({ account, subsite })),
})

const unmute = post('/api/unmute_subsite', {
  ...common,
  aliases: ['/api/unmute_subreddit'],
  summary: 'Unmute a subsite, so that your `/s/all` shows it again.',
  needs: { subsite: subsiteMeant },
  handle: ({ viewer: { account }, subsite, run }) => run(MuteAndBlock, `${account}.${subsite}`, unmuteSubsite({ account, subsite })),
})

export const muteEndpoints: readonly AnyEndpoint[] = [mute, unmute]
