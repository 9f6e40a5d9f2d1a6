// Decision 23.

import type { Actor } from '../../src/domain/event.ts'

/**
 * The reason why a thing is out of the listings. With `auto`, the subsite's spam settings removed it. `by` is null then, and also if an
 * admin removed it, who is not named to moderators.
 */
export type Removal = { readonly by: string | null; readonly auto: boolean; readonly spam: boolean; readonly at: number }
export type Approval = { readonly by: string | null; readonly at: number }

export type Verdict = {
  readonly removed: Removal | null
  readonly approved: Approval | null
  readonly deleted: boolean
  /** True if the thing is neither removed nor deleted. This field leads every ranked index. */
  readonly listed: boolean
}

type Act = { readonly at: number; readonly by: Actor }

export const verdictAtBirth = (filtered: boolean, at: number): Verdict => ({
  removed: filtered ? { by: null, auto: true, spam: true, at } : null,
  approved: null,
  deleted: false,
  listed: !filtered,
})

export const markRemoved = <D extends Verdict>(document: D, { at, by }: Act, spam: boolean): D => ({
  ...document,
  removed: { by: by.as === 'admin' ? null : by.account, auto: false, spam, at },
  approved: null,
  listed: false,
})

export const markApproved = <D extends Verdict>(document: D, { at, by }: Act): D => ({
  ...document,
  removed: null,
  approved: { by: by.account, at },
  listed: !document.deleted,
})

/** Marks a thing as deleted. Each projection deletes the text in its own fields. */
export const markDeleted = <D extends Verdict>(document: D): D => ({ ...document, deleted: true, listed: false })
