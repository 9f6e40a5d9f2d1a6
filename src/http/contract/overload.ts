import type { RefusalCode } from './refusals.ts'

/** The reason why work is not even queued: too much of all callers waits, or too much of its own caller. */
export type Overload = 'busy' | 'too-many'

export const isOverload = (outcome: unknown): outcome is Overload => outcome === 'busy' || outcome === 'too-many'

/** Maps each reason to its refusal. */
export const overloadCode = { busy: 'UNAVAILABLE', 'too-many': 'TOO_MANY_AT_ONCE' } as const satisfies Readonly<
  Record<Overload, RefusalCode>
>

/** Thrown where a refusal cannot be returned: too much of its own caller waits. */
export class TooManyAtOnce extends Error {}
