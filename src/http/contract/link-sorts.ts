import { linkSorts, rankings, thingSorts } from '../../domain/link-sorts.ts'

/** The names of the sorts of link listings, in the order of their tabs. */
export const sortNames: readonly string[] = linkSorts

/** The names of the sorts of pages that show links and comments. */
export const thingSortNames: readonly string[] = thingSorts

const withWindow: ReadonlySet<string> = new Set(rankings)

/** Tells whether a listing in this order can be narrowed to links created within some time. */
export const hasWindow = (sortName: string): boolean => withWindow.has(sortName)
