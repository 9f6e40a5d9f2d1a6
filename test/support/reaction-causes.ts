import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { Account, claimUsername, deleteAccount, registerAccount, Username } from '../../src/domain/account.ts'
import { Comment, CommentDistinguished, CommentEdited, CommentPosted, deleteComment } from '../../src/domain/comment.ts'
import { Credits, gildThing, giveGold, grantCredits } from '../../src/domain/credits.ts'
import type { Actor, AnyEvent } from '../../src/domain/event.ts'
import { eraseImage, Images, uploadImage } from '../../src/domain/images.ts'
import { clearInbox, InboxClearing } from '../../src/domain/inbox-clearing.ts'
import { InboxEntry, markRead, markUnread } from '../../src/domain/inbox-entry.ts'
import { deleteLink, Link, LinkSubmitted } from '../../src/domain/link.ts'
import { Message } from '../../src/domain/message.ts'
import { sendMessage } from '../../src/domain/message-sending.ts'
import { acceptInvitation, inviteModerator } from '../../src/domain/moderator-invitations.ts'
import { addModerator, Moderators, removeModerator } from '../../src/domain/moderators.ts'
import { MultiStream, multiId, putMulti, renameMulti } from '../../src/domain/multi.ts'
import { addContributor, Relation } from '../../src/domain/relation.ts'
import { Stickies, stickyLink } from '../../src/domain/stickies.ts'
import { StickyComment, stickyComment } from '../../src/domain/sticky-comment.ts'
import { changeSettings, claimSubsiteName, createSubsite, Subsite, SubsiteName } from '../../src/domain/subsite.ts'
import { defaultSettings } from '../../src/domain/subsite-settings.ts'
import { approveLink, distinguishComment, removeComment, removeLink } from '../../src/domain/thing-moderation.ts'
import type { Codec } from '../../src/log/codec.ts'
import type { EventStore, StoredEvent } from '../../src/ports/event-store.ts'
import { hasConsequences } from '../../src/reactions/process.ts'
import { type Command, commandOf, followUp, seedOf } from '../../src/runtime/command.ts'
import { idGenerator } from '../../src/runtime/mint.ts'
import { type Runner, runner } from '../../src/runtime/run.ts'
import { openRestricting } from './restricting.ts'
import { born } from './submitted-link.ts'

const DAY = 86_400_000
const [ann, bob, cat, dan] = ['t2_ann', 't2_bob', 't2_cat', 't2_dan'] as const
const [eve, fay, gus, hal, ida] = ['t2_eve', 't2_fay', 't2_gus', 't2_hal', 't2_ida'] as const
const tea = 't4_1'
const other = 't4_2'
const place = (account: string) => ({ subsite: tea, account })

type Side = { readonly events: EventStore; readonly log: Codec }

export type Recording = {
  /** Says how many copies of each event with consequences an append has. */
  readonly copies: number
  /** Takes what `run` hands on of each append. */
  readonly handOn: (recorded: readonly StoredEvent[]) => void
}

const plain: Recording = { copies: 1, handOn: () => undefined }

const openActs = ({ events, log }: Side, { copies, handOn }: Recording) => {
  const { run: attempt, load }: Runner = runner({ events, codec: log })
  const { next: mint } = idGenerator(0, Date.now(), Date.now)
  const by = (account: string, as: Actor['as'] = 'user'): Command => commandOf(seedOf(mint()), { account, as })
  const copied = <Event extends AnyEvent>(some: readonly Event[]): readonly Event[] =>
    some.flatMap((event) => Array.from({ length: hasConsequences(event) ? copies : 1 }, () => event))
  const run: Runner['run'] = async (aggregate, id, decide, command) => {
    const result = await attempt(aggregate, id, (state) => pipe(decide(state), E.map(copied)), command)
    if (E.isLeft(result) || result.right.events.length === 0) throw new Error(`refused: ${JSON.stringify(result)}`)
    handOn(result.right.recorded)
    return result
  }
  return { run, load, by, mod: () => by(ann, 'moderator') }
}

/** Records acts from which something follows in every way there is, without what follows; a ban among them has run out. */
export const causes = async (side: Side, recording = plain): Promise<void> => {
  const { log } = side
  const { run, load, by, mod } = openActs(side, recording)
  const loaded = async (id: string): Promise<Link> => {
    const link = await load(Link, id)
    if (!link) throw new Error(`there is no ${id}`)
    return link
  }
  const sticky = (link: Link, command: Command) => run(Stickies, link.subsite, stickyLink(link), command)
  const restricting = openRestricting({ run })
  const ban = (account: string, days: number | null, message: string, command: Command) =>
    restricting.ban(place(account), command, { days, message })

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
    const event = LinkSubmitted({ ...born, link, subsite, author, title: 'tea', text: '', sendReplies: true })
    return run(Link, link, () => E.right([event]), by(author))
  }
  // Two links leave their slots; one was stickied after it had come back; one by a moderator who had not seen it removed.
  for (const link of ['t5_1', 't5_5', 't5_led']) await submit(link, tea, ann)
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

  // Comments lead their threads no more: one is removed, one deleted, one made plain; one was put there by who had not seen it removed.
  const lead = async (comment: string, link: string, leave: (() => Promise<unknown>) | undefined, isSeen = true) => {
    const linkAuthor = (await loaded(link)).author
    const posted = { comment, link, subsite: tea, author: ann, linkAuthor, parent: null, body: 'x', filtered: false, notified: [] }
    await run(Comment, comment, () => E.right([CommentPosted(posted)]), by(ann))
    await run(Comment, comment, distinguishComment(ann, { deleted: false }, { after: 'moderator' }), mod())
    const command = mod()
    const found = await load(Comment, comment, command)
    if (!isSeen) await leave?.()
    if (found) await run(StickyComment, link, stickyComment(found), command)
    if (isSeen) await leave?.()
  }
  const removal = (comment: string) => () => run(Comment, comment, removeComment(false), by(cat, 'moderator'))
  await lead('t1_led', 't5_1', removal('t1_led'))
  await lead('t1_own', 't5_2', () => run(Comment, 't1_own', deleteComment(ann), by(ann)))
  await lead('t1_plain', 't5_5', () => run(Comment, 't1_plain', distinguishComment(ann, { deleted: false }, { after: null }), mod()))
  await lead('t1_late', 't5_led', removal('t1_late'), false)

  const free = { banned: false, muted: false }
  const asAdmin = { actor: ann, admin: true }
  await run(Moderators, tea, inviteModerator(place(cat), asAdmin, free, '+posts'), mod())
  await run(Moderators, tea, acceptInvitation(place(cat), free), by(cat))
  await run(Moderators, tea, removeModerator(place(cat), asAdmin), mod())
  await run(Moderators, tea, addModerator(place(dan), asAdmin, free, '+all'), by('t2_root', 'admin'))
  await run(Relation, `${tea}.${cat}`, addContributor(place(cat), { founder: false, at: Date.now() }), by('t2_root', 'admin'))
  await ban(bob, 3, 'Too much\ncoffee.', mod())
  await ban(bob, 30, 'Far too much.', mod())
  await ban(cat, null, '', mod())
  // Fay's invitation is withdrawn by the ban; eve accepted hers without having seen the ban; gus took part only afterwards.
  for (const account of [eve, fay]) await run(Moderators, tea, inviteModerator(place(account), asAdmin, free, ''), mod())
  const accepting = by(eve)
  await load(Relation, `${tea}.${eve}`, accepting)
  for (const account of [eve, fay, gus]) await ban(account, null, '', mod())
  await run(Moderators, tea, acceptInvitation(place(eve), free), accepting)
  // Hal was banned by a moderator who had not seen him accept; ida, in two subsites, deleted her account before any read model showed that.
  const seat = async (subsite: string, account: string) => {
    await run(Moderators, subsite, inviteModerator({ subsite, account }, asAdmin, free, ''), mod())
    await run(Moderators, subsite, acceptInvitation({ subsite, account }, free), by(account))
  }
  const banning = mod()
  await load(Moderators, tea, banning)
  await seat(tea, hal)
  await ban(hal, null, '', banning)
  const claimed = await run(Username, 'ida', claimUsername(ida, 'Ida'), by(ida))
  const [claim] = E.isRight(claimed) ? await log.open(claimed.right.recorded) : []
  if (claim) await run(Account, ida, registerAccount(ida, 'Ida'), followUp(claim, 'registered at once', { account: ida, as: 'user' }))
  await seat(tea, ida)
  await run(Moderators, other, inviteModerator({ subsite: other, account: ida }, asAdmin, free, ''), mod())
  await run(Account, ida, deleteAccount([]), by(ida))
  await submit('t5_6', tea, gus)
  // Bob is muted for what he wrote to the moderators; a mute and a wiki ban of dan's have run out.
  const mail = { message: 't6_1', author: bob, admin: false, moderators: undefined, authorIsMuted: false, recipientIsMuted: false }
  await run(Message, 't6_1', sendMessage(mail, { toSubsite: tea, from: null }, { subject: 'tea', body: 'You fools!' }), by(bob))
  const mute = (account: string, over: string | undefined, command: Command) => restricting.mute(place(account), command, { over })
  await mute(bob, 't6_1', mod())
  const before: Command = { ...mod(), at: Date.now() - 4 * DAY }
  await mute(dan, undefined, before)
  const earlier: Command = { ...mod(), at: Date.now() - 3 * DAY }
  await restricting.wikiBan(place(dan), earlier, 1)

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
  await run(Credits, bob, grantCredits(bob, 9), by('t2_root', 'admin'))
  const gildable = { id: 't1_1', link: 't5_5', subsite: tea, author: bob, deleted: false }
  await run(Credits, bob, gildThing({ account: bob, staff: false }, gildable), by(bob))
  await run(Credits, bob, giveGold({ account: bob, staff: false }, ann, 2), by(bob))
  await run(InboxClearing, ann, clearInbox(ann, Date.now(), ['t1_1', 't1_2']), by(ann))
  await run(InboxEntry, `${ann}.t1_2`, markRead(ann, 't1_2'), by(ann))
  await run(InboxEntry, `${ann}.t1_2`, markUnread(ann, 't1_2'), by(ann))

  // One multi is renamed; another was edited while it was, and stays.
  const others = { count: 0, described: 0 }
  for (const name of ['drinks', 'cups']) {
    const former = { account: ann, kind: 'm', name } as const
    await run(MultiStream, multiId(former), putMulti(former, { subsites: [tea] }, 1, others), by(ann))
    const copied = await load(MultiStream, multiId(former))
    if (name === 'cups') await run(MultiStream, multiId(former), putMulti(former, { subsites: [] }, 1, others), by(ann))
    const renamed = { ...former, name: `${name}_1` }
    if (copied)
      await run(MultiStream, multiId(renamed), renameMulti(copied, { name: renamed.name, displayName: undefined }, others), by(ann))
  }
}

/**
 * Records acts that were decided on while a subsite was public, and recorded after it had turned private, and the erasure of an image that
 * another subsite shows, without what follows.
 */
export const lateActs = async (side: Side, recording = plain): Promise<void> => {
  const { run, load, by, mod } = openActs(side, recording)
  const [quiet, loud] = ['t4_7', 't4_8'] as const
  for (const [subsite, name] of [
    [quiet, 'Quiet'],
    [loud, 'Loud'],
  ] as const)
    await run(Subsite, subsite, createSubsite({ subsite, name, creator: ann, settings: defaultSettings }), by(ann))

  const submitted = (link: string) =>
    LinkSubmitted({ ...born, link, subsite: quiet, author: ann, title: 'tea', text: '', sendReplies: true })
  const place = { link: 't5_7', subsite: quiet, author: bob }
  const posted = (comment: string) =>
    CommentPosted({ ...place, comment, linkAuthor: ann, parent: null, body: 'words', filtered: false, notified: [] })
  await run(Link, 't5_7', () => E.right([submitted('t5_7')]), by(ann))
  for (const comment of ['t1_7', 't1_8']) await run(Comment, comment, () => E.right([posted(comment)]), by(bob))

  const notified = [{ account: ann, reason: 'mention' }] as const
  const target = { id: 't1_8', author: bob, excerpt: 'words', link: 't5_7' }
  const edited = CommentEdited({ ...place, comment: 't1_7', body: 'hello /u/ann', notified, withdrawn: [] })
  const marked = CommentDistinguished({ subsite: quiet, target, before: null, after: 'moderator', notified, removed: false })
  const deciding = [by(ann), by(bob), by(bob), by(bob)] as const
  for (const command of deciding) await load(Subsite, quiet, command)
  await run(Subsite, quiet, changeSettings({ admin: false, gold: false }, { type: 'private' }), mod())
  await run(Link, 't5_8', () => E.right([submitted('t5_8')]), deciding[0])
  await run(Comment, 't1_9', () => E.right([posted('t1_9')]), deciding[1])
  await run(Comment, 't1_7', () => E.right([edited]), deciding[2])
  await run(Comment, 't1_8', () => E.right([marked]), deciding[3])

  const image = { hash: 'c0ffee', format: 'png', width: 1, height: 1 } as const
  for (const subsite of [quiet, loud])
    await run(Images, subsite, uploadImage(subsite, { admin: false }, { use: 'img', name: 'cup', image, bytes: 9 }), mod())
  await run(Images, quiet, eraseImage(quiet, image.hash, false, 'a face'), by(ann, 'admin'))
}
