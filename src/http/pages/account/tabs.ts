import type { Html } from '../../wire/html.ts'
import { choices, headWithTabs } from '../parts/rows.ts'

const tabs = {
  options: 'preferences',
  account: 'your data',
  sessions: 'password and sessions',
  apps: 'apps',
  feeds: 'feeds',
  friends: 'friends',
  blocked: 'blocked',
  multis: 'multis',
}

type SettingsTab = keyof typeof tabs

/** Renders the head of a page of settings. */
export const settingsHead = (current: SettingsTab, title: string): Html =>
  headWithTabs(
    title,
    choices(
      'Settings',
      Object.entries(tabs).map(([value, words]) => ({ value, words, to: `/prefs/${value}` })),
      current,
    ),
  )

/** Returns the hidden field with which a form of settings leads back to its page, and says that it was done. */
export const backTo = (current: SettingsTab): { readonly dest: string } => ({ dest: `/prefs/${current}?done=1` })
