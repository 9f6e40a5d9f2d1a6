import { type Audience, AudienceChange, applyAudience, audienceIn, audienceOf } from '../domain/audience.ts'
import { fold } from '../domain/decision.ts'
import type { Logged } from '../domain/events.ts'
import type { SubsiteId } from '../domain/ids.ts'
import { Subsite } from '../domain/subsite.ts'
import { followUp } from '../runtime/command.ts'
import { type Consequence, type Ports, type Reactions, unseenBy } from './reaction.ts'

const system = { account: null, as: 'system' } as const

/** Records that a subsite's audience applies, under an id that follows from the cause: whoever does it for the same cause records it once. */
export const recordAudience = ({ run }: Pick<Ports, 'run'>, cause: Logged, applied: Parameters<typeof applyAudience>[0]) =>
  run(AudienceChange, applied.subsite, applyAudience(applied), followUp(cause, 'apply audience', system))

const streamOf = (subsite: SubsiteId): string => `${Subsite.category}-${subsite}`

type Change = Logged<'SubsiteSettingChanged'>

const changesAudience = (event: Logged): event is Change =>
  event.type === 'SubsiteSettingChanged' && (event.data.setting === 'type' || event.data.setting === 'allow_top')

/** The audience of a subsite before a change of its settings, and after it. */
const aroundChange = async (
  { history }: Ports,
  { stream, position, data }: Change,
): Promise<readonly [before: Audience, after: Audience]> => {
  const earlier = (await history(stream, 0, position)) as Parameters<
    typeof fold<Subsite, Logged<'SubsiteCreated' | 'SubsiteSettingChanged'>>
  >[2]
  const settings = fold(Subsite, undefined, earlier)?.settings
  if (settings === undefined) throw new Error(`${data.subsite} has settings before it was created`)
  return [audienceOf(data.subsite, settings), audienceOf(data.subsite, { ...settings, [data.setting]: data.after })]
}

/** The first event names nothing: once it is recorded, no former change goes on, and what it left is found. */
const begin =
  (event: Change): Consequence =>
  async (ports) => {
    const [before, audience] = await aroundChange(ports, event)
    if (before === audience) return
    await recordAudience(ports, event, { subsite: event.data.subsite, audience, change: event.revision, things: [], entries: [] })
  }

/** Some at a time; each event causes the next, until none is left. */
const applySome =
  (event: Logged<'AudienceApplied'>): Consequence =>
  async (ports) => {
    const { subsite, audience, change } = event.data
    const misplaced = await ports.misplacedIn(subsite, audience, event.position)
    if (misplaced.things.length + misplaced.entries.length === 0) return
    await recordAudience(ports, event, { subsite, audience, change, ...misplaced })
  }

type PlacingEvent = Logged<'LinkSubmitted' | 'CommentPosted' | 'CommentEdited' | 'CommentDistinguished'>

/** What was decided on before the subsite's audience changed, and recorded after it. The next event has the entries of inboxes as well. */
const applyTo =
  (event: PlacingEvent, things: readonly string[]): Consequence =>
  async (ports) => {
    const { subsite } = event.data
    const recorded = audienceIn(event.data)
    // mostly known without reading: nothing has changed, or has changed back
    const now = await ports.load(Subsite, subsite)
    if (now === undefined || audienceOf(subsite, now.settings) === recorded) return
    const change = (await unseenBy(ports, event, streamOf(subsite))).findLast(changesAudience)
    if (change === undefined) return
    const [, audience] = await aroundChange(ports, change)
    if (audience === recorded) return
    await recordAudience(ports, event, { subsite, audience, change: change.revision, things, entries: [] })
  }

const entersInboxes = ({ data }: Logged<'CommentEdited' | 'CommentDistinguished'>) => data.notified.length > 0

/** A subsite that turns private or public, or leaves the rankings of all subsites: the audience of its things follows. */
export const audiences: Reactions = {
  SubsiteSettingChanged: (event) => (changesAudience(event) ? [begin(event)] : []),
  AudienceApplied: (event) => [applySome(event)],
  LinkSubmitted: (event) => [applyTo(event, [event.data.link])],
  CommentPosted: (event) => [applyTo(event, [event.data.comment])],
  CommentEdited: (event) => (entersInboxes(event) ? [applyTo(event, [])] : []),
  CommentDistinguished: (event) => (entersInboxes(event) ? [applyTo(event, [])] : []),
}
