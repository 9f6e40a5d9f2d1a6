import { defaultSettings } from '../../domain/subsite-settings.ts'

/** Loaded at its first use: the names of all languages take 10 ms, at the start of every process and thread. */
let languages: Intl.DisplayNames | undefined

/** A language, with the script and the country or region that RFC 5646 lets follow: `de`, `pt_BR`, `zh_Hans_CN`, `es_419`. */
const TAG = /^([A-Za-z]{2,3})(?:_[A-Za-z]{4})?(?:_(?:[A-Za-z]{2,3}|\d{3}))?$/

/** Returns a language tag with an underscore, or the language of the site for a text that is no tag. */
export const languageOf = (tag: string): string => {
  languages ??= new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })
  const normal = tag.trim().replaceAll('-', '_')
  const [, language] = TAG.exec(normal) ?? []
  return language !== undefined && languages.of(language) !== undefined ? normal : defaultSettings.lang
}
