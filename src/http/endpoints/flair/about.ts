import { noFlair, UserFlair } from '../../../domain/flair.ts'
import type { SubsiteFlair } from '../../../domain/subsite-flair.ts'
import { section } from '../../contract/endpoint.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { subsiteHere } from '../../needs/facts.ts'
import { loadOffered } from '../../things/flair.ts'

type Shown = { readonly settings: SubsiteFlair['settings']; readonly own: UserFlair }

const ownFields: shape.RecordTable<UserFlair> = {
  flair_text: [shape.orNull(shape.text('brewer')), ({ text }) => text || null],
  flair_css_class: [shape.orNull(shape.text('brewer')), ({ css }) => css || null],
  flair_enabled: [{ ...shape.flag, description: 'Whether you show it.' }, ({ shown }) => shown],
}

/** The settings, by the names with which they are set. */
const fields: shape.RecordTable<Shown> = {
  flair_enabled: [shape.flag, ({ settings }) => settings.flair_enabled],
  flair_position: [shape.choice('left', 'right'), ({ settings }) => settings.flair_position],
  flair_self_assign_enabled: [shape.flag, ({ settings }) => settings.flair_self_enabled],
  link_flair_position: [shape.choice('left', 'right', ''), ({ settings }) => settings.link_flair_position],
  link_flair_self_assign_enabled: [shape.flag, ({ settings }) => settings.link_flair_self_enabled],
  own: [shape.tableRecord(ownFields), ({ own }) => shape.valuesOf(ownFields, own)],
}

export const aboutFlair = section('Flair').get('/s/{sub}/about/flair', {
  scope: 'flair',
  login: 'user',
  errors: 'plain',
  answers: { 200: shape.tableShape('SubsiteFlair', fields) },
  summary: 'How flair works in a subsite, and your own flair there.',
  notes: 'The settings are those of `/api/flairconfig`; `own` is your flair, also while you hide it.',
  needs: { subsite: subsiteHere() },
  handle: async (context) => {
    const { subsite, viewer, load } = context
    const [{ settings }, own] = await Promise.all([loadOffered(context, subsite.id), load(UserFlair, `${subsite.id}.${viewer.account}`)])
    return { kind: 'json', body: shape.valuesOf(fields, { settings, own: own ?? { ...noFlair, shown: true } }) }
  },
})
