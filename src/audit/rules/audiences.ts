import type { Logged } from '../../domain/events.ts'
import { type Due, dueAfter, dueOf, expectDue, system } from './due.ts'
import { isLinkName, type LedgerRules, readRow } from './rule.ts'

// The audiences of the things of a subsite.

type Settings = { readonly type: string; readonly allow_top: boolean }
type SubsiteRow = { readonly settings: Settings }

/** Returns the audience of a subsite. Private subsites have one each. */
const audienceFrom = (subsite: string, { type, allow_top }: Settings): string => {
  const named: Readonly<Record<string, string>> = { private: subsite, gold_only: 'gold', employees_only: 'staff' }
  return `${named[type] ?? 'everybody'}${allow_top ? '' : '-aside'}`
}

/** Expects the consequences of a change of a subsite's audience, unless a later change has them. */
const follows = (cause: Logged<'SubsiteSettingChanged'>) => {
  const { subsite, setting, before, after } = cause.data
  if (setting !== 'type' && setting !== 'allow_top') return []
  const due = dueOf(cause, `AudienceApplied ${subsite}`)
  return dueAfter<SubsiteRow>(
    ['subsites', subsite],
    (row) => {
      if (row === undefined) return undefined
      const [was, now] = [before, after].map((value) => audienceFrom(subsite, { ...row.settings, [setting]: value }))
      return was === now
        ? undefined
        : { ...due, by: system, data: { subsite, audience: now, change: cause.revision, things: [], entries: [] } }
    },
    due.id,
  )
}

const mayFollow = (cause: Logged<'SubsiteCreated' | 'AudienceApplied'>, data: Due['data']) => [
  expectDue(cause, `AudienceApplied ${cause.data.subsite}`, { by: system, required: false, data }),
]

/**
 * Expects that things that were recorded with another audience than their subsite's, since they were decided on before a change, get its
 * audience.
 */
const expectLate = (
  cause: Logged<'LinkSubmitted' | 'CommentPosted' | 'CommentEdited' | 'CommentDistinguished'>,
  things: readonly string[],
) => {
  const { subsite, audience: recorded = 'everybody' } = cause.data
  const due = dueOf(cause, `AudienceApplied ${subsite}`, { by: system, required: false })
  return dueAfter<SubsiteRow>(
    ['subsites', subsite],
    (row) => {
      const audience = row && audienceFrom(subsite, row.settings)
      return audience === undefined || audience === recorded ? undefined : { ...due, data: { things, entries: [], audience } }
    },
    due.id,
  )
}

export const audienceCauses: LedgerRules = {
  // for things that were recorded before things had audiences
  SubsiteCreated: (cause) => mayFollow(cause, { audience: audienceFrom(cause.data.subsite, cause.data.settings), change: cause.revision }),
  SubsiteSettingChanged: follows,
  AudienceApplied: (cause) => mayFollow(cause, { audience: cause.data.audience, change: cause.data.change }),
  LinkSubmitted: (cause) => expectLate(cause, [cause.data.link]),
  CommentPosted: (cause) => expectLate(cause, [cause.data.comment]),
  CommentEdited: (cause) => (cause.data.notified.length > 0 ? expectLate(cause, []) : []),
  CommentDistinguished: (cause) => (cause.data.notified.length > 0 ? expectLate(cause, []) : []),
}

export const audienceRules: LedgerRules = {
  AudienceApplied: ({ data: { subsite, things } }, note) =>
    things.map((thing) =>
      readRow<{ readonly subsite: string }>(isLinkName(thing) ? 'links' : 'comments', thing, (row) => {
        if (row?.subsite !== subsite) note(row ? `${thing} is in ${row.subsite}` : `it refers to ${thing}, which no earlier event created`)
      }),
    ),
}
