import type { TestFn } from 'ava'
import { type Exceptions, type Open, runContract } from './contract.ts'
import { conflicts, handedOn, limits, retries } from './log-appends.ts'
import type { OpenedLog } from './log-entries.ts'
import { order } from './log-reads.ts'
import { subscriptions } from './log-subscriptions.ts'

/** The definition of the event store port. */
export const eventStoreContract = (test: TestFn, name: string, open: Open<OpenedLog>, exceptions: Exceptions = {}): void =>
  runContract(test, name, { ...conflicts, ...handedOn, ...order, ...retries, ...limits, ...subscriptions }, open, exceptions)
