import { defaultSettings } from '../../domain/subsite-settings.ts'

const languages = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })

/** A language tag with an underscore; the language of the site if it is none. */
export const languageOf = (tag: string): string => {
  const normal = tag.trim().replace('-', '_')
  const [, language] = /^([A-Za-z]{2,3})(?:_[A-Za-z]{2,4})?$/.exec(normal) ?? []
  return language !== undefined && languages.of(language) !== undefined ? normal : defaultSettings.lang
}
