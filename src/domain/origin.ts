/** The event that something in a state stems from, and its revision in the stream of that state. */
export type Origin = { readonly id: string; readonly revision: number }

/** Which of the things in a state are meant, by the events they stem from. */
export type Which = (origin: Origin) => boolean

/** What one event made. */
export const madeBy =
  ({ id }: Pick<Origin, 'id'>): Which =>
  (origin) =>
    origin.id === id

export const originOf = ({ id, revision }: Origin): Origin => ({ id, revision })
