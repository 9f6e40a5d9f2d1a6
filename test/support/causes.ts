import { either as E } from 'fp-ts'
import { claimUsername, Username } from '../../src/domain/account.ts'
import { Comment, CommentPosted } from '../../src/domain/comment.ts'
import type { Actor } from '../../src/domain/event.ts'
import { clearInbox, InboxEntry, Mailbox, markRead, markUnread } from '../../src/domain/inbox-entry.ts'
import { approveLink, deleteLink, Link, LinkSubmitted, removeLink } from '../../src/domain/link.ts'
import { acceptInvitation, addModerator, inviteModerator, Moderators, removeModerator } from '../../src/domain/moderators.ts'
import { addContributor, banUser, Relation } from '../../src/domain/relation.ts'
import { Stickies, stickyLink } from '../../src/domain/stickies.ts'
import { claimSubsiteName, SubsiteName } from '../../src/domain/subsite.ts'
import { defaultSettings } from '../../src/domain/subsite-settings.ts'
import type { Codec } from '../../src/log/codec.ts'
import type { EventStore } from '../../src/ports/event-store.ts'
import { type Command, commandOf, seedOf } from '../../src/runtime/command.ts'
import { idGenerator } from '../../src/runtime/mint.ts'
import { type Runner, runner } from '../../src/runtime/run.ts'

const DAY = 86_400_000
const [ann, bob, cat, dan] = ['t2_ann', 't2_bob', 't2_cat', 't2_dan'] as const
const [eve, fay, gus] = ['t2_eve', 't2_fay', 't2_gus'] as const
const tea = 't4_1'
const other = 't4_2'
const place = (account: string) => ({ subsite: tea, account })

/** Acts from which something follows in every way there is, without what follows; a ban among them has run out. */
export const causes = async ({ events, log }: { readonly events: EventStore; readonly log: Codec }): Promise<void> => {
  const { run: attempt, load }: Runner = runner({ events, codec: log })
  const { next: mint } = idGenerator(0, Date.now(), Date.now)
  const by = (account: string, as: Actor['as'] = 'user'): Command => commandOf(seedOf(mint()), { account, as })
  const mod = () => by(ann, 'moderator')
  const run: Runner['run'] = async (...args) => {
    const result = await attempt(...args)
    if (E.isLeft(result) || result.right.events.length === 0) throw new Error(`refused: ${JSON.stringify(result)}`)
    return result
  }
  const loaded = async (id: string): Promise<Link> => {
    const link = await load(Link, id)
    if (!link) throw new Error(`there is no ${id}`)
    return link
  }
  const sticky = (link: Link, command: Command) => run(Stickies, link.subsite, stickyLink(link), command)
  const ban = (account: string, days: number | null, message: string, command: Command) =>
    run(Relation, `${tea}.${account}`, banUser(place(account), { moderator: false, at: command.at }, { days, note: '', message }), command)

  for (const [id, name] of [
    [ann, 'Ann'],
    [bob, 'Bob'],
    [cat, 'Cat'],
    [dan, 'Dan'],
  ] as const)
    await run(Username, name.toLowerCase(), claimUsername(id, name), by(id))
  await run(SubsiteName, 'tea', claimSubsiteName({ subsite: 't4_9', name: 'Tea', creator: ann, settings: defaultSettings }), by(ann))

  const longAgo: Command = { ...mod(), at: Date.now() - 3 * DAY }
  await ban(dan, 1, '', longAgo)

  const submit = (link: string, subsite: string, author: string) => {
    const more = { title: 'tea', text: '', over18: false, sendReplies: true, filtered: false }
    return run(Link, link, () => E.right([LinkSubmitted({ link, subsite, author, ...more })]), by(author))
  }
  // Two links leave their slots; one was stickied after it had come back; one by a moderator who had not seen it removed.
  for (const link of ['t5_1', 't5_5']) await submit(link, tea, ann)
  await submit('t5_2', tea, bob)
  for (const link of ['t5_3', 't5_4']) await submit(link, other, ann)
  await sticky(await loaded('t5_1'), mod())
  await sticky(await loaded('t5_2'), mod())
  await run(Link, 't5_1', removeLink(true), by(cat, 'moderator'))
  await run(Link, 't5_2', deleteLink(bob), by(bob))
  await run(Link, 't5_4', removeLink(false), mod())
  await run(Link, 't5_4', approveLink, mod())
  await sticky(await loaded('t5_4'), mod())
  const slow = mod()
  const stale = await load(Link, 't5_3', slow)
  await run(Link, 't5_3', removeLink(false), mod())
  if (stale) await sticky(stale, slow)

  const free = { banned: false }
  await run(Moderators, tea, inviteModerator(place(cat), free, '+posts'), mod())
  await run(Moderators, tea, acceptInvitation(place(cat), free), by(cat))
  await run(Moderators, tea, removeModerator(place(cat), { actor: ann, admin: true }), mod())
  await run(Moderators, tea, addModerator(place(dan), free, '+all'), by('t2_root', 'admin'))
  await run(Relation, `${tea}.${cat}`, addContributor(place(cat), { founder: false, at: Date.now() }), by('t2_root', 'admin'))
  await ban(bob, 3, 'Too much\ncoffee.', mod())
  await ban(bob, 30, 'Far too much.', mod())
  await ban(cat, null, '', mod())
  // Fay's invitation is withdrawn by the ban; eve accepted hers without having seen the ban; gus took part only afterwards.
  for (const account of [eve, fay]) await run(Moderators, tea, inviteModerator(place(account), free, ''), mod())
  const accepting = by(eve)
  await load(Relation, `${tea}.${eve}`, accepting)
  for (const account of [eve, fay, gus]) await ban(account, null, '', mod())
  await run(Moderators, tea, acceptInvitation(place(eve), free), accepting)
  await submit('t5_6', tea, gus)

  const said = (comment: string) =>
    CommentPosted({
      comment,
      link: 't5_5',
      subsite: tea,
      author: bob,
      linkAuthor: ann,
      parent: null,
      body: 'words',
      filtered: false,
      notified: [{ account: ann, reason: 'post_reply' }],
    })
  for (const id of ['t1_1', 't1_2']) await run(Comment, id, () => E.right([said(id)]), by(bob))
  await run(Mailbox, ann, clearInbox(ann, Date.now(), ['t1_1', 't1_2']), by(ann))
  await run(InboxEntry, `${ann}.t1_2`, markRead(ann, 't1_2'), by(ann))
  await run(InboxEntry, `${ann}.t1_2`, markUnread(ann, 't1_2'), by(ann))
}
