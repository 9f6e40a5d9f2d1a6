import { epoch, type Fields, orNull, type Schema, text } from './schema.ts'

const fullname = (prefix: string, example: string) => ({
  type: 'string',
  description: 'Fullname: kind and base-36 id.',
  pattern: `^${prefix}_[0-9a-z]+$`,
  examples: [`${prefix}_${example}`],
})

export const linkNameShape = fullname('t5', '9k')
export const commentName = fullname('t1', '7b')
export const accountName = fullname('t2', '1c')
export const subsiteFullname = fullname('t4', '2d')
export const username = text('ann')
export const authorFullname: Schema = {
  ...orNull(accountName),
  description: 'Fullname of the author; null wherever the author is not shown.',
}
export const subsiteName = text('tea')

export const messageName = fullname('t6', '4f')

export const dated: Fields = { created: epoch, created_utc: epoch }
