import type { Either } from 'fp-ts/lib/Either.js'
import { MINUTE } from '../domain/time.ts'
import { type BeginningWork, beginWait, type WaitParts } from './begun-wait.ts'

export const REGISTRATION_WAIT_MS = 10 * MINUTE

type RegistrationContext = WaitParts & { readonly ip: string; readonly config: { readonly rateLimits: boolean } }

/** Runs a registration, at most one from an address in ten minutes, also if many come at once and at several processes. */
export const registerInTime = <Refused, Made>(
  context: RegistrationContext,
  work: BeginningWork<Refused, Made>,
): Promise<Either<Refused, Made>> =>
  context.config.rateLimits
    ? beginWait(context, { names: [`register:${context.ip}`], wait: REGISTRATION_WAIT_MS }, work)
    : work(async () => undefined)
