import * as E from 'fp-ts/lib/Either.js'
import type { Refusal } from '../domain/refusal.ts'
import type { Vault } from '../ports/vault.ts'
import type { Command } from '../runtime/command.ts'
import { askToWait } from './wait-refusal.ts'

export type WaitParts = {
  readonly vault: Pick<Vault, 'getMany' | 'putIf' | 'delete'>
  readonly clock: () => number
  readonly command: Pick<Command, 'id'>
}

/** The names that wait, as keys of the vault, and the wait in milliseconds. Less than `ignored` is not worth a refusal. */
type Wait = { readonly names: readonly string[]; readonly wait: number; readonly ignored?: number }

/** Does work that calls `begin` when the wait begins, and returns the refusal that this may give. */
export type BeginningWork<Refused, Made> = (begin: () => Promise<Refusal | undefined>) => Promise<E.Either<Refused, Made>>

const isUnknown = (refused: unknown): boolean =>
  typeof refused === 'object' && refused !== null && 'code' in refused && refused.code === 'OUTCOME_UNKNOWN'

/**
 * Runs work that begins a wait before it makes something, and returns the refusal while an earlier wait lasts. If nothing was made, the
 * wait ends. If several processes begin a wait at once, one succeeds: each replaces only the record that it has read.
 */
export const beginWait = async <Refused, Made>(
  { vault, clock, command }: WaitParts,
  { names, wait, ignored = 0 }: Wait,
  work: BeginningWork<Refused, Made>,
): Promise<E.Either<Refused, Made>> => {
  const begun: string[] = []
  const cancel = () => Promise.all(begun.splice(0).map((name) => vault.delete('limit', name)))
  const begin = async () => {
    const records = await vault.getMany('limit', names)
    // an earlier try of the same command may have begun it
    const others = [...records.values()].filter(({ value }) => value !== command.id)
    const waitMs = Math.max(0, ...others.map(({ expires = 0 }) => expires - clock()))
    if (waitMs > 0 && waitMs >= ignored) return askToWait(waitMs)
    for (const name of names) {
      const isFirst = await vault.putIf('limit', name, records.get(name)?.version ?? 0, { value: command.id, expires: clock() + wait })
      if (isFirst) begun.push(name)
      else {
        await cancel()
        return askToWait(wait)
      }
    }
    return undefined
  }
  let mayExist = false
  try {
    const outcome = await work(begin)
    mayExist = E.isRight(outcome) || isUnknown(outcome.left)
    return outcome
  } finally {
    if (!mayExist) await cancel()
  }
}
