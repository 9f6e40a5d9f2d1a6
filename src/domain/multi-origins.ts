// Decision 86.

const origin = /copied from \[\/user\/([A-Za-z0-9_-]{3,20})\/m\/([a-z0-9_]{2,21})\]\(\/user\/\1\/m\/\2\)/g

/** Returns the owners that a copy's description names. */
export const originsIn = (description: string): readonly string[] => [...description.matchAll(origin)].map(([, owner = '']) => owner)

/** Returns the description as shown to viewers: without the names of deleted owners. */
export const withoutOrigins = (description: string, isGone: (owner: string) => boolean): string =>
  description.replace(origin, (line, owner: string, name: string) => (isGone(owner) ? `copied from /user/[deleted]/m/${name}` : line))

/** Tells whether a description is another one as viewers are shown it, whichever owners were deleted by then. */
export const isSameDescription = (one: string, other: string): boolean =>
  withoutOrigins(one, () => true) === withoutOrigins(other, () => true)
