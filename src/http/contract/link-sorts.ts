import { linkSorts, rankings } from '../../domain/link-sorts.ts'

/** The names of the sorts of link listings, in the order of their tabs. */
export const sortNames: readonly string[] = linkSorts

const withWindow: ReadonlySet<string> = new Set(rankings)

/** Tells whether a listing in this order can be narrowed to links created within some time. */
export const hasWindow = (sortName: string): boolean => withWindow.has(sortName)
