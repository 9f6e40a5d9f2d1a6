// Decision 95.

import { type Audience, AudienceChange, applyAudience, audienceIn, audienceOf } from '../domain/audience.ts'
import { fold } from '../domain/decision.ts'
import { positionAtMost, SERVICE } from '../domain/event.ts'
import type { Stored } from '../domain/events.ts'
import type { SubsiteId } from '../domain/ids.ts'
import { Subsite } from '../domain/subsite.ts'
import { followUp } from '../runtime/command.ts'
import { type Consequence, type Ports, type Reactions, unseenBy } from './reaction.ts'

/**
 * Records that a subsite's audience applies, under an id that follows from the cause. Everybody who does it for the same cause records it
 * once.
 */
export const recordAudience = ({ run }: Pick<Ports, 'run'>, cause: Stored, applied: Parameters<typeof applyAudience>[0]) =>
  run(AudienceChange, applied.subsite, applyAudience(applied), followUp(cause, 'apply audience', SERVICE))

const streamOf = (subsite: SubsiteId): string => `${Subsite.category}-${subsite}`

type SettingChange = Stored<'SubsiteSettingChanged'>

const changesAudience = (event: Stored): event is SettingChange =>
  event.type === 'SubsiteSettingChanged' && (event.data.setting === 'type' || event.data.setting === 'allow_top')

/** Returns the audience of a subsite before a change of its settings, and after it. */
const aroundChange = async ({ historyBefore }: Ports, change: SettingChange): Promise<readonly [before: Audience, after: Audience]> => {
  const { stream, data } = change
  const earlier = (await historyBefore(change, stream)) as Parameters<
    typeof fold<Subsite, Stored<'SubsiteCreated' | 'SubsiteSettingChanged'>>
  >[2]
  const settings = fold(Subsite, undefined, earlier)?.settings
  if (settings === undefined) throw new Error(`${data.subsite} has settings before it was created`)
  return [audienceOf(data.subsite, settings), audienceOf(data.subsite, { ...settings, [data.setting]: data.after })]
}

/**
 * Records the new audience without any things first. This event stops the reactions to earlier changes. The next reaction finds every thing
 * that still has another audience.
 */
const begin =
  (event: SettingChange): Consequence =>
  async (ports) => {
    const [before, audience] = await aroundChange(ports, event)
    if (before === audience) return
    await recordAudience(ports, event, { subsite: event.data.subsite, audience, change: event.revision, things: [], entries: [] })
  }

/** Applies the audience to some things at a time. Each event causes the next, until none is left. */
const applySome =
  (event: Stored<'AudienceApplied'>): Consequence =>
  async (ports) => {
    const { subsite, audience, change } = event.data
    const misplaced = await ports.misplacedIn(subsite, audience, positionAtMost(event))
    if (misplaced.things.length + misplaced.entries.length === 0) return
    await recordAudience(ports, event, { subsite, audience, change, ...misplaced })
  }

type PlacingEvent = Stored<'LinkSubmitted' | 'CommentPosted' | 'CommentEdited' | 'CommentDistinguished'>

/**
 * Applies the audience to a thing that was decided on before the audience changed, and recorded after it. The next event has the entries of
 * inboxes as well.
 */
const applyTo =
  (event: PlacingEvent, things: readonly string[]): Consequence =>
  async (ports) => {
    const { subsite } = event.data
    const recorded = audienceIn(event.data)
    // mostly nothing has changed, or has changed back
    const now = await ports.loadSince(event)(Subsite, subsite)
    if (now === undefined || audienceOf(subsite, now.settings) === recorded) return
    const change = (await unseenBy(ports, event, streamOf(subsite))).findLast(changesAudience)
    if (change === undefined) return
    const [, audience] = await aroundChange(ports, change)
    if (audience === recorded) return
    await recordAudience(ports, event, { subsite, audience, change: change.revision, things, entries: [] })
  }

const entersInboxes = ({ data }: Stored<'CommentEdited' | 'CommentDistinguished'>) => data.notified.length > 0

/** The audience of things follows when their subsite turns private or public, or leaves the rankings of all subsites. */
export const audiences: Reactions = {
  SubsiteSettingChanged: (event) => (changesAudience(event) ? [begin(event)] : []),
  AudienceApplied: (event) => [applySome(event)],
  LinkSubmitted: (event) => [applyTo(event, [event.data.link])],
  CommentPosted: (event) => [applyTo(event, [event.data.comment])],
  CommentEdited: (event) => (entersInboxes(event) ? [applyTo(event, [])] : []),
  CommentDistinguished: (event) => (entersInboxes(event) ? [applyTo(event, [])] : []),
}
