import type { SubsiteDocument } from '../../projections/subsites.ts'
import { membershipsOf } from '../queries/relations.ts'
import { mayView } from './access.ts'
import type { Context } from './endpoint.ts'
import { renderAhead } from './present/markdown.ts'
import { subsiteThing, type Viewed } from './present/subsite.ts'

/** How a viewer stands to each of some subsites; what may be viewed comes from the log, the rest from the records. */
const viewedBy = async (context: Context, subsites: readonly SubsiteDocument[]): Promise<ReadonlyMap<string, Viewed>> => {
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
  const seen = new Set(viewable)
  return new Map(subsites.map((subsite) => [subsite.id, { viewable: seen.has(subsite), membership: memberships?.get(subsite.id) }]))
}

/** Those of some subsites that the viewer may read. */
export const visible = async <S extends Pick<SubsiteDocument, 'id' | 'type'>>(
  context: Context,
  subsites: readonly S[],
): Promise<readonly S[]> => {
  const views = await Promise.all(subsites.map((subsite) => mayView(context, subsite)))
  return subsites.filter((_, index) => views[index])
}

const unknown: Viewed = { viewable: false, membership: undefined }

/** The records of some subsites, in their order, as the viewer may see them. */
export const subsiteThings = async (context: Context, subsites: readonly SubsiteDocument[]): Promise<readonly object[]> => {
  const views = await viewedBy(context, subsites)
  await renderAhead(subsites.map(({ settings }) => settings.description))
  return subsites.map((subsite) => subsiteThing(subsite, views.get(subsite.id) ?? unknown))
}
