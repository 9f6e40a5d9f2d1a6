import { id36, orNull, type Schema, text } from './schema.ts'

/** The subjects of all examples: ann's subsite `tea`, her link there, a comment of hers on it, and a message that answers another. */
export const cast = {
  account: 't2_1597vjxn5s',
  subsite: 't4_1597vk44jk',
  link: 't5_1597vk8v7k',
  comment: 't1_1597vlmwow',
  conversation: 't6_1598xnq2m8',
  message: 't6_1598xpvsow',
  app: '3f9c1d2e4b5a6978',
  token: '3f9c1d2e4b5a69788796a5b4c3d2e1f0',
  template: '8f6a2c1e-5b3d-5c47-9a10-d2f4e6b80c35',
  service: 'https://rostra.example',
  linkPath: '/s/tea/comments/1597vk8v7k/on_water/',
  commentPath: '/s/tea/comments/1597vk8v7k/on_water/1597vlmwow',
} as const

export const idIn = (fullname: string): string => fullname.slice(fullname.indexOf('_') + 1)

const fullname = (example: string) => ({
  type: 'string',
  description: 'Fullname: kind and base-36 id.',
  pattern: `^${example.slice(0, 2)}_[0-9a-z]+$`,
  examples: [example],
})

export const linkNameShape = fullname(cast.link)
export const commentName = fullname(cast.comment)
export const accountName = fullname(cast.account)
export const subsiteFullname = fullname(cast.subsite)
export const linkId = id36(idIn(cast.link))
export const commentId = id36(idIn(cast.comment))
export const accountId = id36(idIn(cast.account))
export const subsiteId = id36(idIn(cast.subsite))
export const messageId = id36(idIn(cast.message))
export const username = text('ann')
export const authorFullname: Schema = {
  ...orNull(accountName),
  description: 'Fullname of the author; null wherever the author is not shown.',
}
export const subsiteName = text('tea')

export const messageName = fullname(cast.message)
