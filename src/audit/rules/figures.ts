import type { LedgerEntry } from '../ledger.ts'
import { amend, entry, putRow } from './rule.ts'

// Figures of documents, computed from the events by formulas that share nothing with the projections.

const collections = [
  'accounts',
  'comments',
  'gildings',
  'inbox',
  'karma',
  'links',
  'messages',
  'stickies',
  'subscriptions',
  'subsites',
  'traffic',
  'votes',
] as const

/** A collection whose figures are computed. */
export type FigureCollection = (typeof collections)[number]

export const hasFigures = (collection: string): boolean => (collections as readonly string[]).includes(collection)

/** Returns the name of the book that holds the figures of a collection, each under the id of its document. */
export const figuresBook = (collection: string): string => `audit_figures_${collection}`

export const putFigures = (collection: FigureCollection, id: string, figures: object): LedgerEntry =>
  putRow(figuresBook(collection), { id, ...figures })

export const amendFigures = <R extends object>(collection: FigureCollection, id: string, change: (figures: R) => R): LedgerEntry =>
  amend<R>(figuresBook(collection), id, change)

export const figuresEntry = <R extends object>(
  collection: FigureCollection,
  id: string,
  change: (figures: R | undefined) => R | undefined,
): LedgerEntry => entry<R>(figuresBook(collection), id, change)
