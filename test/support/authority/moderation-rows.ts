import { STICKY_SLOTS, Stickies } from '../../../src/domain/stickies.ts'
import { postForm } from '../community.ts'
import { accountsOf, holders } from './roles.ts'
import { id, type Row, type Rows } from './row.ts'
import { makeAllowed, type Stage } from './stage.ts'
import { comment, link, type Make, mailToTea, makeAfter, ownComment, ownLink, ownMail } from './things.ts'

const asPosts = { by: holders('posts'), as: 'staff' } as const satisfies Row

const asAdmin = { by: accountsOf('root'), as: 'staff' } as const satisfies Row
/** The thing is erased by order of a court. */
const courtOrder = (target: string) => ({ id: target, reason: 'ordered by a court' })

const ofRemoved = (make: Make) => makeAfter(make, 'founder', '/api/remove')
const makeIgnored = (make: Make) => makeAfter(make, 'founder', '/api/ignore_reports')
const how = (value: string) => (target: string) => ({ id: target, how: value })
const stickiesOf = async ({ site, tea }: Stage): Promise<Stickies> => (await site.running.app.load(Stickies, tea)) ?? []
/** A link at the top of tea; one for which there is room there; and one for which there is none. */
const makeSticky: Make = async (stage, self) => {
  const target = await withFreeSlots(stage, self)
  await postForm(stage.founder, '/api/set_subsite_sticky', { id: target, state: true })
  return target
}
const withFreeSlots: Make = async (stage, self) => {
  for (const { target } of await stickiesOf(stage))
    await postForm(stage.founder, '/api/set_subsite_sticky', { id: target.id, state: false })
  return link(stage, self)
}
const withoutFreeSlots: Make = async (stage, self) => {
  for (let taken = (await stickiesOf(stage)).length; taken < STICKY_SLOTS; taken += 1)
    await postForm(stage.founder, '/api/set_subsite_sticky', { id: await link(stage, self), state: true })
  return link(stage, self)
}
/** A comment at the top of its thread, if its author may put it there. */
const makeLeading: Make = async (stage, self) => {
  const target = await ownComment(stage, self)
  return makeAllowed(stage, self, async () => {
    await self.post('/api/distinguish', { id: target, how: 'yes', sticky: true })
    return target
  })
}
const sticky = (target: string) => ({ id: target, how: 'yes', sticky: true })

/** The decisions of moderators on links, comments and mail. */
export const moderationRows: Rows = {
  'POST /api/remove': [
    { ...asPosts, records: 'CommentRemoved', on: comment, form: id },
    { what: 'a link', ...asPosts, records: 'LinkRemoved', on: link, form: id },
    { what: 'a message', by: holders('mail'), as: 'staff', records: 'MessageRemoved', on: mailToTea, form: id },
  ],
  'POST /api/approve': [
    { ...asPosts, records: 'CommentApproved', on: comment, form: id },
    { what: 'a removed link', ...asPosts, records: 'LinkApproved', on: ofRemoved(link), form: id },
    { what: 'a message', by: holders('mail'), as: 'staff', records: 'MessageApproved', on: ofRemoved(mailToTea), form: id },
  ],
  'POST /api/distinguish': [
    { what: 'an own thing', ...asPosts, records: 'LinkDistinguished', isOwn: true, on: ownLink, form: how('yes') },
    { what: 'a thing of somebody else', by: [], on: link, form: how('yes') },
    {
      what: 'as an admin',
      by: accountsOf('root'),
      as: 'staff',
      records: 'LinkDistinguished',
      isOwn: true,
      on: ownLink,
      form: how('admin'),
    },
    {
      what: 'as special',
      by: accountsOf('root'),
      as: 'staff',
      records: 'CommentDistinguished',
      isOwn: true,
      on: ownComment,
      form: how('special'),
    },
    {
      what: 'an own message',
      by: accountsOf('root'),
      as: 'staff',
      records: 'MessageDistinguished',
      isOwn: true,
      on: ownMail,
      form: how('special'),
    },
    {
      what: 'an own comment that it makes sticky',
      ...asPosts,
      records: ['CommentDistinguished', 'CommentStickied'],
      isOwn: true,
      on: ownComment,
      form: sticky,
    },
    {
      what: 'an own comment that is no longer sticky',
      ...asPosts,
      records: 'CommentUnstickied',
      isOwn: true,
      on: makeLeading,
      form: how('yes'),
    },
  ],
  'POST /api/erase_thing': [
    { what: 'a comment', ...asAdmin, records: 'CommentErased', on: comment, form: courtOrder },
    { what: 'a link', ...asAdmin, records: 'LinkErased', on: link, form: courtOrder },
    { what: 'a message', ...asAdmin, records: 'MessageErased', on: mailToTea, form: courtOrder },
  ],
  'POST /api/ignore_reports': [
    { ...asPosts, records: 'LinkReportsIgnored', on: link, form: id },
    { what: 'on a comment', ...asPosts, records: 'CommentReportsIgnored', on: comment, form: id },
  ],
  'POST /api/unignore_reports': [
    { ...asPosts, records: 'LinkReportsUnignored', on: makeIgnored(link), form: id },
    { what: 'on a comment', ...asPosts, records: 'CommentReportsUnignored', on: makeIgnored(comment), form: id },
  ],
  'POST /api/set_subsite_sticky': [
    { ...asPosts, records: 'LinkStickied', on: withFreeSlots, form: (target) => ({ id: target, state: true }) },
    {
      what: 'in the place of another',
      ...asPosts,
      records: ['LinkStickied', 'LinkUnstickied'],
      on: withoutFreeSlots,
      form: (target) => ({ id: target, state: true }),
    },
    {
      what: 'no longer',
      ...asPosts,
      records: 'LinkUnstickied',
      on: makeSticky,
      form: (target) => ({ id: target, state: false }),
    },
  ],
}
