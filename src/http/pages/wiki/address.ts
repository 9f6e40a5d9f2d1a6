import type { Html } from '../../wire/html.ts'
import type { Around, At } from '../page.ts'
import { choices } from '../parts/rows.ts'
import { mayModerate } from '../parts/subsites.ts'

/** Returns the part of paths that names the subsite of the page's wiki; empty for the wiki of the site. */
export const wikiPlace = ({ at }: Pick<Around, 'at'>): string => (at.sub === undefined ? '' : `/s/${at.sub}`)

/** Returns the path of the wiki of the page's subsite, or of the wiki of the site. */
export const wikiOf = (around: Pick<Around, 'at'>): string => `${wikiPlace(around)}/wiki`

/** Returns the name of the wiki page that an address is about. `view` is the part of the path before the name: `revisions/`. */
export const wikiPageName = ({ path }: At, view = ''): string => {
  const [, rest = ''] = /^(?:\/[sr]\/[^/]+)?\/(?:wiki|w|help)\/(.*)$/.exec(path) ?? []
  return decodeURIComponent(rest.slice(view.length) || 'index').replace(/\/$/, '')
}

export const encodePageName = (name: string): string => name.split('/').map(encodeURIComponent).join('/')

/** Returns the links between the pages about a wiki page. */
export const views = (shown: Around, name: string, current: string): Html => {
  const wiki = wikiOf(shown)
  const page = encodePageName(name)
  return choices(
    'About this page',
    [
      { value: 'read', to: `${wiki}/${page}` },
      { value: 'revisions', to: `${wiki}/revisions/${page}` },
      { value: 'discussions', to: `${wiki}/discussions/${page}` },
      ...(mayModerate(shown, 'wiki') ? [{ value: 'settings', to: `${wiki}/settings/${page}` }] : []),
      { value: 'all pages', to: `${wiki}/pages` },
    ],
    current,
  )
}
