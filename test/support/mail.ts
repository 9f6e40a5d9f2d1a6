import { childrenOf, dataOf, postForm } from './community.ts'
import type { Caller } from './site.ts'

export const compose = (from: Caller, to: string, subject = 'a subject', text = 'a text') =>
  postForm(from, '/api/compose', { to, subject, text })

/** Returns the first entry of an inbox, or of another listing of messages. */
export const firstMail = async (reader: Caller, where = 'inbox') => childrenOf(await reader.get(`/message/${where}`))[0]

/** Returns the number of unread entries in an account's inbox. */
export const countUnread = async (reader: Caller) => (await reader.get('/api/v1/me')).at('inbox_count')

/** Tells whether a message is shown collapsed in a listing. */
export const isShownCollapsed = async (reader: Caller, where: string, id: string) =>
  dataOf(await reader.get(`/message/${where}`)).find(({ name }) => name === id)?.is_collapsed
