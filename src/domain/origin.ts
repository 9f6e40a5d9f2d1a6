// Decision 47.

/** The event that created something in a state, and its revision in the stream of that state. */
export type Origin = { readonly id: string; readonly revision: number }

/** Selects things in a state by the events that created them. */
export type OriginTest = (origin: Origin) => boolean

/** Returns a test for things that one event made. */
export const madeBy =
  ({ id }: Pick<Origin, 'id'>): OriginTest =>
  (origin) =>
    origin.id === id

export const originOf = ({ id, revision }: Origin): Origin => ({ id, revision })
