import type { SubsiteDocument } from '../../projections/subsites.ts'
import type { App } from '../app.ts'
import { membershipsOf } from '../queries/relations.ts'
import { mayView } from './access.ts'
import type { Viewer } from './endpoint.ts'
import { subsiteThing, type Viewed } from './present/subsite.ts'

/** How a viewer stands to each of some subsites; what may be viewed comes from the log, the rest from the records. */
export const viewedBy = async (app: App, viewer: Viewer, subsites: readonly SubsiteDocument[]): Promise<ReadonlyMap<string, Viewed>> => {
  const { account } = viewer
  const [memberships, viewable] = await Promise.all([
    account === undefined || subsites.length === 0
      ? undefined
      : membershipsOf(
          app.documents,
          account,
          subsites.map(({ id }) => id),
          app.clock(),
        ),
    visible(app, viewer, subsites),
  ])
  const seen = new Set(viewable)
  return new Map(subsites.map((subsite) => [subsite.id, { viewable: seen.has(subsite), membership: memberships?.get(subsite.id) }]))
}

/** Those of some subsites that the viewer may read. */
export const visible = async <S extends Pick<SubsiteDocument, 'id' | 'type'>>(
  app: App,
  viewer: Viewer,
  subsites: readonly S[],
): Promise<readonly S[]> => {
  const views = await Promise.all(subsites.map((subsite) => mayView(app, viewer, subsite)))
  return subsites.filter((_, index) => views[index])
}

const unknown: Viewed = { viewable: false, membership: undefined }

/** The records of some subsites, in their order, as the viewer may see them. */
export const subsiteThings = async (app: App, viewer: Viewer, subsites: readonly SubsiteDocument[]): Promise<readonly object[]> => {
  const views = await viewedBy(app, viewer, subsites)
  return subsites.map((subsite) => subsiteThing(subsite, views.get(subsite.id) ?? unknown))
}
