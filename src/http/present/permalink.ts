import { id36 } from '../../domain/ids.ts'
import { firstCharacters } from '../../domain/text-limits.ts'

/** Returns the path of a link's page, relative to the site, with a slash at the end. */
export const linkPermalink = (subsite: string, link: string, title: string): string =>
  `/s/${subsite}/comments/${id36(link)}/${slugOf(title)}/`

/** Returns the path of a comment on its link's page, without a slash at the end. */
export const commentPermalink = (subsite: string, link: string, title: string, comment: string): string =>
  `${linkPermalink(subsite, link, title)}${id36(comment)}`

const MAX_SLUG_CHARACTERS = 50

/** Returns the readable part of a permalink: words of the title joined by `_`, `_` when there are none. */
export const slugOf = (title: string): string => {
  const words = title
    .replace(/\s+/gu, '_')
    .replace(/[^\p{L}\p{N}\p{M}_]/gu, '')
    .replace(/_+/g, '_')
    .replace(/^_|_$/g, '')
    .toLowerCase()
  if (words === '') return '_'
  const cut = firstCharacters(MAX_SLUG_CHARACTERS, words)
  if (cut === words) return words
  const end = cut.lastIndexOf('_')
  return end > 0 ? cut.slice(0, end) : cut
}
