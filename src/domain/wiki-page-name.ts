// Decision 84.

import * as E from 'fp-ts/lib/Either.js'
import type { Refusal } from './refusal.ts'
import { MAX_STYLESHEET_BYTES } from './stylesheet.ts'
import { type SettingName, settingTable } from './subsite-settings.ts'
import { isLongerThan } from './text-limits.ts'

/** First segments that mean something other than a page. */
const reserved: ReadonlySet<string> = new Set(['edit', 'revisions', 'settings', 'discussions', 'pages', 'create'])

const MAX_PAGE_NAME_CHARACTERS = 128
const MAX_SEPARATORS = 3
/** The most UTF-8 bytes of a page. */
export const MAX_PAGE_CONTENT_BYTES = 262_144

/** The page that `/wiki` shows. */
const INDEX = 'index'

const segmentsOf = (path: string): readonly string[] => {
  const segments: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return segments
}

/**
 * Returns the normal form of a page name, as streams and documents have it: lower case, `_` for spaces, no empty segments. Refuses with
 * `INVALID_PAGE_NAME`.
 */
export const parsePageName = (name: string): E.Either<Refusal, string> => {
  const refused = E.left<Refusal>({ code: 'INVALID_PAGE_NAME', field: 'page' })
  if (name.length > 1_000) return refused
  const segments = segmentsOf(name.trim().replace(/ /g, '_').toLowerCase())
  const normal = segments.join('/') || INDEX
  return reserved.has(segments[0] ?? '') || !/^[a-z0-9_/-]+$/.test(normal) ? refused : E.right(normal)
}

/** Tells whether a page of this normal name can exist. Longer names are refused when a page is created. */
export const mayExist = (page: string): boolean => page.length <= MAX_PAGE_NAME_CHARACTERS

/** Returns the refusal of a name that no new page can have. */
export const checkNewPageName = (page: string): Refusal | undefined => {
  if (page.split('/').length - 1 > MAX_SEPARATORS)
    return { code: 'PAGE_NAME_MAX_SEPARATORS', field: 'page', extra: { max_separators: MAX_SEPARATORS } }
  return mayExist(page) ? undefined : { code: 'PAGE_NAME_LENGTH', field: 'page', extra: { max_length: MAX_PAGE_NAME_CHARACTERS } }
}

type TextSetting = Extract<SettingName, 'description' | 'public_description' | 'submit_text'>

/** Pages that show a setting of the subsite, whose stream is the source of their text. */
const mirrors: ReadonlyMap<string, { readonly setting: TextSetting; readonly label: string }> = new Map([
  ['config/sidebar', { setting: 'description', label: 'Updated subsite sidebar' }],
  ['config/description', { setting: 'public_description', label: 'Updated subsite description' }],
  ['config/submit_text', { setting: 'submit_text', label: 'Updated submission text' }],
])

export const mirroredSettings: readonly (readonly [page: string, setting: TextSetting])[] = [...mirrors].map(([page, { setting }]) => [
  page,
  setting,
])

/** Returns the setting that a page shows; undefined if the page has a text of its own. */
export const settingShownBy = (page: string): TextSetting | undefined => mirrors.get(page)?.setting

export const AUTOMODERATOR_PAGE = 'config/automoderator'
export const STYLESHEET_PAGE = 'config/stylesheet'

/** Tells whether a page configures the subsite; moderators with `config` edit such pages. */
export const isSpecial = (page: string): boolean => mirrors.has(page) || page === AUTOMODERATOR_PAGE || page === STYLESHEET_PAGE

/** Tells whether only admins create the page. Special pages are among these. */
export const isRestricted = (page: string): boolean => /^(config|special|rostra)(\/|$)/.test(page)

/** Tells whether the subsite's settings make the page, which is never created as a page. */
export const isMadeFromSettings = (page: string): boolean => mirrors.has(page) || page === STYLESHEET_PAGE

/** Tells whether a page is data of programs, or code. It is shown as typed, not as markdown. */
export const isSource = (page: string): boolean => ['usernotes', 'toolbox', AUTOMODERATOR_PAGE, STYLESHEET_PAGE].includes(page)

/** Returns the description of an edit in the moderation log. */
export const editLabel = (page: string): string => mirrors.get(page)?.label ?? `Page ${page} edited`

/** Returns the refusal of a page's content. A page that shows a setting has the limit of the setting, in characters. */
export const checkContent = (page: string, content: string): Refusal | undefined => {
  const setting = settingShownBy(page)
  const longest = setting && settingTable[setting].longest
  const bytes = page === STYLESHEET_PAGE ? MAX_STYLESHEET_BYTES : MAX_PAGE_CONTENT_BYTES
  const fits = longest === undefined ? Buffer.byteLength(content) <= bytes : !isLongerThan(longest, content)
  return fits ? undefined : { code: 'CONTENT_LENGTH_ERROR', field: 'content', extra: { max_length: longest ?? bytes } }
}
