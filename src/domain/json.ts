/** An object of JSON. */
export type Json = Readonly<Record<string, unknown>>

/** Tells whether a value of JSON is an object. */
export const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
