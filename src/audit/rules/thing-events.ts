import type { Envelope } from '../../domain/event.ts'
import type { Logged } from '../../domain/events.ts'
import { put, type Rules } from './rule.ts'

// Where in the log accounts reported or gilded a thing, on streams of their own: by the categories of these streams.

const recorded = ({ id, stream, revision, position, data: { thing } }: Envelope & Logged<'ThingReported' | 'ThingGilded'>) => {
  const kind = stream.startsWith('report-') ? 'report' : stream.startsWith('credits-') ? 'gilding' : null
  return [put('thing_events', { id, thing, kind, position, stream, revision })]
}

export const thingEventRules: Rules = { ThingReported: recorded, ThingGilded: recorded }
