import type { Cast } from './cast.ts'
import { dataOf } from './community.ts'
import { foundSubsite, say, submit } from './posting.ts'
import type { Caller } from './site.ts'

let founded = 0

/** A new subsite of ann's, and where its relations are added and ended. */
export const newSubsite = async ({ ann }: Cast<'ann'>, settings: Parameters<typeof foundSubsite>[2] = {}) => {
  const name = `place${founded++}`
  return { name, subsite: await foundSubsite(ann, name, settings), friend: `/s/${name}/api/friend`, unfriend: `/s/${name}/api/unfriend` }
}

/** Makes a new subsite of ann's with a post of bob's and a comment of his under it. */
export const newThread = async ({ site, ann, bob }: Cast<'ann' | 'bob'>, settings: Parameters<typeof foundSubsite>[2] = {}) => {
  const { name, subsite } = await newSubsite({ site, ann }, settings)
  const link = await submit(bob, name, { title: 'A title', text: 'A text' })
  const comment = await say(bob, link, 'A comment')
  return { name, subsite, link, comment }
}

type Row = {
  readonly name: string
  readonly id: string
  readonly note?: string
  readonly days_left?: number | null
  readonly mod_permissions?: readonly string[]
}

/** Returns the accounts that a list of relations names. */
export const accountsIn = async (reader: Caller, path: string): Promise<readonly Row[]> =>
  ((await reader.get(path)).at('data.children') as readonly Row[] | undefined) ?? []

/** The subjects of what is in the inbox. */
export const subjectsOf = async (reader: Caller): Promise<readonly unknown[]> =>
  dataOf(await reader.get('/message/inbox?limit=100')).map(({ subject }) => subject)
