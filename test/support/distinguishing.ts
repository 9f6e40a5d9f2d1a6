import type { Cast } from './cast.ts'
import { foundSubsite, say, submit } from './posting.ts'
import type { Caller } from './site.ts'

let founded = 0

/** Makes a new subsite of ann's with a post of bob's, who wants no replies in his inbox, and a comment of hers under it. */
export const newComment = async ({ ann, bob }: Cast<'ann' | 'bob'>, sendreplies = false) => {
  const name = `said${founded++}`
  await foundSubsite(ann, name)
  const link = await submit(bob, name, { sendreplies })
  const comment = await say(ann, link, 'As I said')
  return { name, link, comment }
}

export const distinguish = (who: Caller, id: string, how: string) => who.post('/api/distinguish', { id, how, api_type: 'json' })

export const stick = (who: Caller, id: string, how = 'yes', sticky = 'True') =>
  who.post('/api/distinguish/', { id, how, sticky, api_type: 'json' })
