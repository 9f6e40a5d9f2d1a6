// Decision 133.

import type { Vault } from '../../ports/vault.ts'
import type { RequestReads } from '../../runtime/request-reads.ts'
import type { AnyEndpoint } from '../contract/endpoint.ts'
import { type IncomingRequest, isRead } from '../contract/incoming.ts'
import type { EndpointParts } from '../contract/parts.ts'

/* Guesses: while the states that an endpoint read are guesses, it only looks. Whatever it changes waits until they are confirmed. */

type Settle = RequestReads['settle']
type Act = (...sent: never[]) => Promise<unknown>

/** Returns a part whose acts of these names wait until the guesses are confirmed. */
const settleBefore = <Part extends object, Name extends keyof Part>(part: Part, settle: Settle, names: readonly Name[]): Part => ({
  ...part,
  ...Object.fromEntries(
    names.map((name) => [
      name,
      async (...sent: never[]) => {
        await settle()
        return (part[name] as Act)(...sent)
      },
    ]),
  ),
})

/** Each part of endpoints: `reads` changes nothing, `changes` is never used on guesses, a function makes its changes wait. */
const partsOnGuesses: {
  readonly [Name in keyof EndpointParts]: 'reads' | 'changes' | ((part: EndpointParts[Name], settle: Settle) => EndpointParts[Name])
} = {
  blobs: (blobs, settle) => settleBefore(blobs, settle, ['put', 'delete', 'collect']),
  captchas: (captchas, settle) => settleBefore(captchas, settle, ['answerOf', 'solve']),
  followers: 'changes',
  feedTokens: 'changes',
  history: 'reads',
  health: 'reads',
  metrics: 'reads',
  operations: 'changes',
  passwords: 'changes',
  places: 'reads',
  readEvent: 'reads',
  readUntil: 'reads',
  sessions: 'changes',
  streamEvents: 'reads',
  tokens: 'changes',
  numberedEvents: 'reads',
  openEvents: 'reads',
  viewerNow: 'reads',
}

/** Tells whether a request is answered on guesses first: a write whose changes can wait. */
export const mayGuess = ({ uses }: AnyEndpoint, { method }: Pick<IncomingRequest, 'method'>): boolean =>
  !isRead(method) && uses.every((name) => partsOnGuesses[name] !== 'changes')

/** Returns the parts of these names as a request receives them. */
export const partsFor = (service: EndpointParts, names: readonly (keyof EndpointParts)[], settle: Settle): Partial<EndpointParts> =>
  Object.fromEntries(
    names.map((name) => {
      const onGuesses = partsOnGuesses[name] as 'reads' | 'changes' | ((part: unknown, settle: Settle) => unknown)
      return [name, typeof onGuesses === 'function' ? onGuesses(service[name], settle) : service[name]]
    }),
  )

/** Returns a vault whose writes wait until the guesses are confirmed. */
export const vaultFor = (vault: Vault, settle: Settle): Vault =>
  settleBefore(vault, settle, ['put', 'putIf', 'add', 'take', 'delete', 'deleteAll', 'sweep'])
