import { id36 } from '../../domain/ids.ts'
import { slugOf } from '../../domain/slug.ts'

/** Where a link's page is: relative to the site, with a slash at the end. */
export const linkPermalink = (subsite: string, link: string, title: string): string =>
  `/s/${subsite}/comments/${id36(link)}/${slugOf(title)}/`

/** Where a comment stands on its link's page: no slash at the end. */
export const commentPermalink = (subsite: string, link: string, title: string, comment: string): string =>
  `${linkPermalink(subsite, link, title)}${id36(comment)}`
