import type { MessagePort } from 'node:worker_threads'
import type { CheckpointMove, Collection, Document, DocumentChange } from '../../ports/documents.ts'
import type { Append, Position } from '../../ports/event-store.ts'
import { type FaultKind, messageOf, StoreFault } from '../../ports/faults.ts'
import type { Addition, VaultEntry, VaultKind } from '../../ports/vault.ts'
import type { TableChanges } from './held-documents.ts'
import type { KnownValuesMemory } from './known-values.ts'
import type { LogLimits } from './schema.ts'
import type { HoldLimits } from './write-behind.ts'

/**
 * The thread's parameters at its start. `projector` is the address of a module that exports `createProjector`. Notices go to `notices`, and
 * `sent` counts the messages that went there. `hold` tells how long changes of read models are held back; undefined means not at all.
 * `values` is absent if other processes may write documents.
 */
export type ThreadOptions = {
  readonly file: string
  readonly projector: string | undefined
  readonly hold: HoldLimits | undefined
  readonly log: LogLimits
  readonly values: KnownValuesMemory | undefined
  readonly notices: MessagePort
  readonly sent: Int32Array<SharedArrayBuffer>
}

/** Tasks that must be on disk before they are answered. Waiting ones share one transaction. */
export type DurableTask =
  | { readonly task: 'append'; readonly append: Append }
  | { readonly task: 'put'; readonly kind: VaultKind; readonly id: string; readonly entry: VaultEntry }
  | { readonly task: 'putIf'; readonly kind: VaultKind; readonly id: string; readonly version: number; readonly entry: VaultEntry }
  | { readonly task: 'add'; readonly additions: readonly Addition[] }
  | { readonly task: 'take'; readonly kind: VaultKind; readonly id: string }
  | { readonly task: 'delete'; readonly kind: VaultKind; readonly id: string }
  | { readonly task: 'deleteAll'; readonly kind: VaultKind; readonly owner: string }
  | { readonly task: 'sweepVault'; readonly now: number }

/** Tasks whose work can be repeated from the log, and the task that ends the thread. */
export type OtherTask =
  | { readonly task: 'prepare'; readonly collections: readonly Collection<Document>[]; readonly indexes?: 'now' | 'later' | undefined }
  | { readonly task: 'write'; readonly changes: readonly DocumentChange[]; readonly checkpoint: CheckpointMove | readonly CheckpointMove[] }
  | { readonly task: 'clear'; readonly collections: readonly Collection<Document>[]; readonly checkpoint: string }
  | { readonly task: 'sweep'; readonly collection: Collection<Document>; readonly upTo: Position; readonly limit: number }
  | { readonly task: 'obsolete'; readonly current: readonly Collection<Document>[] }
  | { readonly task: 'drop'; readonly name: string }
  | { readonly task: 'flush' }
  | { readonly task: 'scrub' }
  | { readonly task: 'close' }

export type Task = DurableTask | OtherTask

export type Request = { readonly call: number; readonly task: Task }

export type Failure = { readonly kind: FaultKind | undefined; readonly message: string; readonly stack: string | undefined }

export type ThreadAnswer = { readonly call: number; readonly value: unknown } | { readonly call: number; readonly failure: Failure }

export type Notice =
  | { readonly notice: 'ready' }
  | { readonly notice: 'built' }
  | { readonly notice: 'refused'; readonly failure: Failure }
  /** `appended` without answers means that another process appended. */
  | { readonly notice: 'answers'; readonly answers: readonly ThreadAnswer[]; readonly appended: boolean }
  | { readonly notice: 'changed'; readonly changed: readonly TableChanges[]; readonly number: number }
  | { readonly notice: 'flushed'; readonly upTo: number }
  | { readonly notice: 'projected'; readonly position: Position }
  /** `isWriting` means that held changes could not be written; otherwise they could not be projected. */
  | { readonly notice: 'stalled'; readonly failure: Failure; readonly isWriting: boolean }
  /** The held changes can be written again, though none was. */
  | { readonly notice: 'recovered' }

export const isDurable = (task: Task): task is DurableTask => durable.has(task.task)

const durable: ReadonlySet<Task['task']> = new Set(['append', 'put', 'putIf', 'add', 'take', 'delete', 'deleteAll', 'sweepVault'])

/** Converts an error to data, since errors lose their class between threads. */
export const toFailure = (error: unknown): Failure => ({
  kind: error instanceof StoreFault ? error.kind : undefined,
  message: messageOf(error),
  stack: error instanceof Error ? error.stack : undefined,
})

export const toError = ({ kind, message, stack }: Failure): Error => {
  const error = kind ? new StoreFault(kind, message) : new Error(message)
  if (stack !== undefined) error.stack = stack
  return error
}
