import type { AnyEvent, Envelope } from '../src/domain/event.ts'
import type { EventName, EventNamed } from '../src/domain/events.ts'

/** An event as a command would have stamped it: everything but the position, which the log gives. */
export type Stamped<Event extends AnyEvent = EventNamed<EventName>> = Event extends AnyEvent ? Omit<Envelope<Event>, 'position'> : never

export type Shape = {
  readonly seed: number
  readonly links: number
  readonly subsites: number
  readonly accounts: number
  /** Time of the first event; else the log begins when ids do. */
  readonly from?: number
  /** Mean milliseconds from one event to the next. */
  readonly pace?: number
  /** First votes for each link, on it and on comments. */
  readonly votes?: number
  /** Nobody comments, saves, writes or moderates. */
  readonly silent?: boolean
}

/** Twelve events a link: eight and a half votes, one and a half comments, the link, and one event of everything else. */
export const shapeFor = (links: number, seed = 1): Shape => ({
  seed,
  links,
  subsites: Math.max(5, Math.min(200, Math.floor(links / 20))),
  accounts: Math.max(50, Math.floor(links / 5)),
})
