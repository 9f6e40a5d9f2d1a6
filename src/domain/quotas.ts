// Decision 52.

import { DAY, HOUR } from './time.ts'

/** A quota: how often one account may act within one window of so many milliseconds. */
export type Quota = { readonly most: number; readonly window: number }

/**
 * Acts that lengthen a stream that others read, or that can be repeated without end because they undo each other. Each quota is far above
 * manual use, and allows a program an edit every fifteen seconds, day and night.
 */
export const quotas = {
  edit: { most: 240, window: HOUR },
  settings: { most: 120, window: HOUR },
  /** Changes of who may view a subsite and of whether rankings list it. They rewrite every post in it. */
  audience: { most: 10, window: DAY },
  /** Messages that begin a conversation, which stay in the inboxes of others. */
  compose: { most: 120, window: HOUR },
  /** Accounts and subsites blocked and unblocked, subsites muted and unmuted. */
  avoid: { most: 240, window: HOUR },
  preferences: { most: 120, window: HOUR },
  /** Images, whose bytes are kept for ever: at most 50 MB a day. */
  upload: { most: 100, window: DAY },
  /** Stylesheets, whose text and bytes are kept for ever: at most 20 MB a day. */
  stylesheet: { most: 100, window: DAY },
  sticky: { most: 120, window: HOUR },
  /** Edits and reverts of wiki pages, each up to 256 KiB. */
  wiki: { most: 120, window: HOUR },
  /** Edits and reverts of wiki pages in a day: at most 125 MB. */
  wikiDay: { most: 500, window: DAY },
  /** Exports of everything that the account wrote. */
  export: { most: 6, window: HOUR },
  report: { most: 120, window: HOUR },
  /** Reports ignored and no longer ignored. */
  ignore: { most: 240, window: HOUR },
  /** Messages collapsed and uncollapsed again. */
  collapse: { most: 600, window: HOUR },
  /** Flair given, chosen and hidden. */
  flair: { most: 600, window: HOUR },
  /** Calls, of a hundred lines each. */
  flaircsv: { most: 60, window: HOUR },
  /**
   * Relationships with a subsite that are made, ended and given other permissions. They lengthen the streams that decide on the posts of
   * others.
   */
  relate: { most: 600, window: HOUR },
  distinguish: { most: 240, window: HOUR },
  /** Marks, modes and notifications of links and comments, switched on and off. */
  option: { most: 240, window: HOUR },
  /** Multis and filters created, changed and deleted. */
  multi: { most: 240, window: HOUR },
  /** Votes retracted: changing a vote repeatedly retracts it every other time. */
  unvote: { most: 300, window: HOUR },
} as const satisfies Readonly<Record<string, Quota>>

export type QuotaName = keyof typeof quotas
