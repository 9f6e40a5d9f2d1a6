import type { RefusalCode } from './refusals.ts'

/** Returns the address at which this service explains a code: its entry in the catalogue of errors. */
export const documentationUrl = (publicUrl: string, code: RefusalCode): string => `${publicUrl}/docs/errors#${code}`
