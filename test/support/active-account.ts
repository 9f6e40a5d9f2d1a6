import type { Cast } from './cast.ts'
import { appoint, postForm } from './community.ts'
import { foundSubsite, say, submit } from './posting.ts'
import type { User } from './site.ts'

/** Acts of every kind: the account founds a subsite, moderates ann's, submits, comments and sends a message. */
export const active = async ({ ann, bob }: Cast<'ann' | 'bob'>, who: User) => {
  await foundSubsite(who, `of${who.name}`)
  await appoint(ann, 'tea', who, '+posts')
  const link = await submit(who, 'tea', { title: 'a thing', text: 'kept' })
  const comment = await say(bob, link, 'an answer')
  const reply = await say(who, comment, 'kept too')
  await postForm(who, '/api/compose', { to: 'bob', subject: 'a letter', text: 'kept as well' })
  return { link, reply }
}
