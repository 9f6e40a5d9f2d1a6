import { type SubsiteDocument, subsites } from '../../../../projections/subsites.ts'
import { SubsiteId } from '../../../domain/ids.ts'
import { Subsite } from '../../../domain/subsite.ts'
import { type Anchor, getOne } from '../../../ports/documents.ts'
import { membershipsOf } from '../../../queries/relations.ts'
import type { Context, ListingReply } from '../../contract/endpoint.ts'
import { subsiteEntry } from '../../present/feed-entry.ts'
import { renderAhead } from '../../present/markdown.ts'
import { presentTrimmed, type SubsiteVisibility, subsiteThing } from '../../present/subsite.ts'
import { mayView } from '../access.ts'
import { type Listing, list, type NamedAnchor } from '../listing.ts'
import { byFullname, kind, recordsOfThose } from './kind.ts'

/** Returns the viewer's relationships with some subsites. Permission to view comes from the log, the rest from the records. */
const loadVisibilities = async (
  context: Context,
  subsites: readonly SubsiteDocument[],
): Promise<ReadonlyMap<string, SubsiteVisibility>> => {
  const { account } = context.viewer
  const [memberships, viewable] = await Promise.all([
    account === undefined || subsites.length === 0
      ? undefined
      : membershipsOf(
          context.documents,
          account,
          subsites.map(({ id }) => id),
          context.clock(),
        ),
    visible(context, subsites),
  ])
  const viewableSet = new Set(viewable)
  return new Map(
    subsites.map((subsite) => [
      subsite.id,
      { viewable: viewableSet.has(subsite), membership: memberships?.get(subsite.id), base: context.config.publicUrl },
    ]),
  )
}

/** Returns the subsites among some that the viewer may view. */
export const visible = async <S extends Pick<SubsiteDocument, 'id' | 'type'>>(
  context: Parameters<typeof mayView>[0],
  subsites: readonly S[],
): Promise<readonly S[]> => {
  const views = await Promise.all(subsites.map((subsite) => mayView(context, subsite)))
  return subsites.filter((_, index) => views[index])
}

/** Finds an anchor, which is an existing subsite. */
const subsiteAnchor =
  (context: Context, keyOf: (subsite: SubsiteDocument) => Anchor) =>
  async (name: string): Promise<NamedAnchor | undefined> => {
    const subsite = SubsiteId.is(name) ? await getOne(context.documents, subsites, name) : undefined
    return subsite && { key: keyOf(subsite), viewable: await mayView(context, subsite) }
  }

const unknown: SubsiteVisibility = { viewable: false, membership: undefined, base: '' }

/** Presents some subsites, in their order, as the viewer may see them. */
export const subsiteThings = async (context: Context, subsites: readonly SubsiteDocument[]): Promise<readonly object[]> => {
  const views = await loadVisibilities(context, subsites)
  await renderAhead(subsites.map(({ settings }) => settings.description))
  return subsites.map((subsite) => subsiteThing(subsite, views.get(subsite.id) ?? unknown))
}

/** Presents a subsite as it was then, to viewers who may view it today. An image that it no longer shows is in no file that is served. */
export const pastSubsiteThing = async (context: Context, now: SubsiteDocument, then: SubsiteDocument): Promise<object> => {
  const views = await loadVisibilities(context, [now])
  await renderAhead([then.settings.description])
  const imageOf = (use: 'banner' | 'header' | 'icon') => (then[use]?.hash === now[use]?.hash ? then[use] : null)
  const past = { ...then, banner: imageOf('banner'), header: imageOf('header'), icon: imageOf('icon') }
  const { kind, data } = subsiteThing(past, views.get(now.id) ?? unknown)
  return { kind, data: { ...data, subscribers: null } }
}

/** Returns the trimmed records of some subsites, in order: little more than the name if the viewer may not view one. */
export const trimmedSubsites = async (context: Context, subsites: readonly SubsiteDocument[]): Promise<readonly object[]> => {
  const views = await loadVisibilities(context, subsites)
  return subsites.map((subsite) => presentTrimmed(subsite, views.get(subsite.id) ?? unknown))
}

/** Makes a listing of subsites, with their order and their visibility. */
export const subsiteList = (
  context: Context,
  listing: Omit<Listing<SubsiteDocument>, 'nameOf' | 'anchor' | 'present'> & Partial<Pick<Listing<SubsiteDocument>, 'present'>>,
): ListingReply =>
  list({
    present: (items) => subsiteThings(context, items),
    ...listing,
    nameOf: ({ id }) => id,
    anchor: subsiteAnchor(context, listing.source.keyOf),
  })

export const subsiteKind = kind(Subsite, {
  collection: subsites,
  records: recordsOfThose<SubsiteDocument>(SubsiteId, async (context, documents) =>
    byFullname(documents, await subsiteThings(context, documents)),
  ),
  feedEntry: subsiteEntry,
  lookedUp: true,
})
