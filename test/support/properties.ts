import fc from 'fast-check'
import { FULL } from './full.ts'

// The usual run draws the same cases every time: it fails only where the code changed. A full run draws new ones. Either says why it failed.
fc.configureGlobal({ includeErrorInReport: true, ...(!FULL && { seed: 1 }) })

const SURROGATES = { from: 0xd800, count: 0x800 }

/**
 * Generates any text of so many code points, unassigned ones too. `fc.string({ unit: 'binary' })` spends a second on a table of them all.
 */
export const anyText = (lengths: { readonly minLength?: number; readonly maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc
    .array(fc.nat(0x10ffff - SURROGATES.count), lengths)
    .map((points) => points.map((n) => String.fromCodePoint(n < SURROGATES.from ? n : n + SURROGATES.count)).join(''))

export default fc
