import type { Html } from '../../wire/html.ts'
import type { Around, At } from '../page.ts'
import { choices } from '../parts/rows.ts'
import { mayKeep } from '../parts/subsites.ts'

/** The part of paths that names the subsite of the page's wiki; empty for that of the site. */
export const wikiPlace = ({ at }: Pick<Around, 'at'>): string => (at.sub === undefined ? '' : `/s/${at.sub}`)

/** The wiki of the page's subsite, or that of the site. */
export const wikiOf = (around: Pick<Around, 'at'>): string => `${wikiPlace(around)}/wiki`

/** Returns the name of a wiki page, after a path of its wiki. */
export const nameIn = ({ path }: At, after = ''): string =>
  decodeURIComponent(/^(?:\/[sr]\/[^/]+)?\/(?:wiki|w|help)(\/.*)?$/.exec(path)?.[1]?.slice(1 + after.length) || 'index').replace(/\/$/, '')

export const encodePageName = (name: string): string => name.split('/').map(encodeURIComponent).join('/')

/** The pages about a wiki page. */
export const views = (shown: Around, name: string, current: string): Html => {
  const wiki = wikiOf(shown)
  const page = encodePageName(name)
  return choices(
    'About this page',
    [
      { value: 'read', to: `${wiki}/${page}` },
      { value: 'revisions', to: `${wiki}/revisions/${page}` },
      { value: 'discussions', to: `${wiki}/discussions/${page}` },
      ...(mayKeep(shown, 'wiki') ? [{ value: 'settings', to: `${wiki}/settings/${page}` }] : []),
      { value: 'all pages', to: `${wiki}/pages` },
    ],
    current,
  )
}
