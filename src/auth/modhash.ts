import { createHmac, timingSafeEqual } from 'node:crypto'

/** A text that only the pages of one session know, and that its writes have to send. */
export type Modhashes = {
  /** Derives the text from one session, without revealing that. */
  readonly modhashOf: (session: { readonly id: string }) => string
  /** Compares in constant time. */
  readonly isModhash: (session: { readonly id: string }, modhash: string) => boolean
}

const MODHASH_CHARACTERS = 50

export const modhashesBy = (secret: string): Modhashes => {
  const known = new WeakMap<object, string>()
  const modhashOf: Modhashes['modhashOf'] = (session) => {
    const remembered = known.get(session)
    if (remembered !== undefined) return remembered
    const modhash = createHmac('sha256', secret).update(`modhash:${session.id}`).digest('hex').slice(0, MODHASH_CHARACTERS)
    known.set(session, modhash)
    return modhash
  }
  return {
    modhashOf,
    isModhash: (session, modhash) => {
      const right = Buffer.from(modhashOf(session))
      const sent = Buffer.from(modhash)
      return right.length === sent.length && timingSafeEqual(right, sent)
    },
  }
}
