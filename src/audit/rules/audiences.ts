import type { Logged } from '../../domain/events.ts'
import { type Due, due, dueAfter, dueOf, system } from './due.ts'
import { amend, amendKnown, isLinkName, type Rules } from './rule.ts'

// In whose listings the things of a subsite stand.

type Settings = { readonly type: string; readonly allow_top: boolean }
type SubsiteRow = { readonly settings: Settings }

/** Private subsites have an audience each. */
const audienceFrom = (subsite: string, { type, allow_top }: Settings): string => {
  const named: Readonly<Record<string, string>> = { private: subsite, gold_only: 'gold', employees_only: 'staff' }
  return `${named[type] ?? 'everybody'}${allow_top ? '' : '-aside'}`
}

/** A change of who reads of a subsite where is carried out, unless a later change of it is. */
const follows = (cause: Logged<'SubsiteSettingChanged'>) => {
  const { subsite, setting, before, after } = cause.data
  if (setting !== 'type' && setting !== 'allow_top') return []
  const what = dueOf(cause, `AudienceApplied ${subsite}`)
  return dueAfter<SubsiteRow>(
    ['subsites', subsite],
    (row) => {
      if (row === undefined) return undefined
      const [was, is] = [before, after].map((value) => audienceFrom(subsite, { ...row.settings, [setting]: value }))
      return was === is
        ? undefined
        : { ...what, by: system, data: { subsite, audience: is, change: cause.revision, things: [], entries: [] } }
    },
    what.id,
  )
}

const mayFollow = (cause: Logged<'SubsiteCreated' | 'AudienceApplied'>, data: Due['data']) => [
  due(cause, `AudienceApplied ${cause.data.subsite}`, { by: system, required: false, data }),
]

/** What was recorded with another audience than its subsite then had, because it was decided on before, is for whom the subsite is by then. */
const late = (cause: Logged<'LinkSubmitted' | 'CommentPosted' | 'CommentEdited' | 'CommentDistinguished'>, things: readonly string[]) => {
  const { subsite, audience: recorded = 'everybody' } = cause.data
  const what = dueOf(cause, `AudienceApplied ${subsite}`, { by: system, required: false })
  return dueAfter<SubsiteRow>(
    ['subsites', subsite],
    (row) => {
      const audience = row && audienceFrom(subsite, row.settings)
      return audience === undefined || audience === recorded ? undefined : { ...what, data: { things, entries: [], audience } }
    },
    what.id,
  )
}

export const audienceCauses: Rules = {
  // of things that were recorded before things had audiences
  SubsiteCreated: (cause) => mayFollow(cause, { audience: audienceFrom(cause.data.subsite, cause.data.settings), change: cause.revision }),
  SubsiteSettingChanged: follows,
  AudienceApplied: (cause) => mayFollow(cause, { audience: cause.data.audience, change: cause.data.change }),
  LinkSubmitted: (cause) => late(cause, [cause.data.link]),
  CommentPosted: (cause) => late(cause, [cause.data.comment]),
  CommentEdited: (cause) => (cause.data.notified.length > 0 ? late(cause, []) : []),
  CommentDistinguished: (cause) => (cause.data.notified.length > 0 ? late(cause, []) : []),
}

export const audienceRules: Rules = {
  AudienceApplied: ({ data: { subsite, things, entries, audience } }, note) => [
    ...things.map((thing) =>
      amendKnown<{ readonly subsite: string }>(isLinkName(thing) ? 'links' : 'comments', thing, note, (row) => {
        if (row.subsite !== subsite) note(`${thing} is in ${row.subsite}`)
        return { ...row, audience }
      }),
    ),
    ...entries.map((id) => amend('inbox', id, (row) => ({ ...row, audience }))),
  ],
}
