import { Account, isSuspended } from '../../../src/domain/account.ts'
import { Comment } from '../../../src/domain/comment.ts'
import { Contact } from '../../../src/domain/friends-and-blocks.ts'
import { Link } from '../../../src/domain/link.ts'
import { Moderators, moderatorOf } from '../../../src/domain/moderators.ts'
import { MultiStream, multiId } from '../../../src/domain/multi.ts'
import { MuteAndBlock } from '../../../src/domain/mutes-and-blocks.ts'
import { isBanned, isMuted, isWikiBanned, Relation } from '../../../src/domain/relation.ts'
import { Stickies } from '../../../src/domain/stickies.ts'
import { isStickied, StickyComment } from '../../../src/domain/sticky-comment.ts'
import { Subsite } from '../../../src/domain/subsite.ts'
import { newcomer } from '../cast.ts'
import { appoint, postForm } from '../community.ts'
import { stick } from '../distinguishing.ts'
import { copy, put } from '../multis.ts'
import { foundSubsite, readThing, say, settle, submit } from '../posting.ts'
import type { Answer, User } from '../site.ts'
import type { Pair, Stage } from './pair.ts'
import { deletes, erases, type Taking } from './seats.ts'

// Writes texts, and forbids writing or first showing them.

const form = { api_type: 'json' }

/** Describes the facts that are true, in words. */
const words = (held: Readonly<Record<string, boolean | undefined>>): string =>
  Object.entries(held)
    .filter(([, is]) => is)
    .map(([what]) => what)
    .join(' ')

/** An act, whether it was done, and what it made. */
const noteAct = (act: () => Promise<Answer>) => {
  let isDone = false
  let created: unknown
  return {
    ask: async () => {
      const answer = await act()
      isDone = answer.status < 300 && !answer.text.includes('"errors":[[')
      created = answer.at('json.data.things.0.data.name')
      return answer
    },
    isDone: () => isDone,
    made: () => created,
  }
}

const letter = (by: User, to: string, more: Readonly<Record<string, string>> = {}) =>
  noteAct(() => by.post('/api/compose', { to, subject: 'a subject', text: 'words', ...more, ...form }))

const comments = (by: User, link: string) => noteAct(() => by.post('/api/comment', { thing_id: link, text: 'words', ...form }))

/** Makes a link of bob's that ann stickies while something happens to it. */
const stickyWhile =
  (what: 'removed' | 'deleted', act: (stage: Stage, id: string) => Promise<Answer>): Pair['open'] =>
  async (stage) => {
    const { site, ann, bob, subsite } = stage
    const id = await submit(bob, 'arena')
    const { load } = site.running.app
    return {
      one: { ask: () => act(stage, id), on: 'link' },
      other: { ask: () => ann.post('/api/set_subsite_sticky', { id, state: true, ...form }), on: 'stickies' },
      state: async () => {
        const sticky = (await load(Stickies, subsite))?.some(({ target }) => target.id === id)
        return words({ [what]: (await load(Link, id))?.[what], sticky })
      },
    }
  }

/** Makes a comment of ann's that she stickies while something happens to it. */
const leadWhile =
  (what: 'removed' | 'deleted' | 'plain', act: (stage: Stage, id: string) => Promise<Answer>): Pair['open'] =>
  async (stage) => {
    const { site, ann, bob } = stage
    const link = await submit(bob, 'arena')
    const id = await say(ann, link)
    await postForm(ann, '/api/distinguish', { id, how: 'yes', ...form })
    const { load } = site.running.app
    return {
      one: { ask: () => act(stage, id), on: 'comment' },
      other: { ask: () => stick(ann, id), on: 'stickycomment' },
      state: async () => {
        const { removed, deleted, distinguished } = (await load(Comment, id)) ?? {}
        const is = { removed, deleted, plain: distinguished === null }
        return words({ [what]: is[what], sticky: isStickied(await load(StickyComment, link), id) })
      },
    }
  }

/** Something forbids a newcomer to write while they do. */
const writeWhile =
  (
    forbids: (
      stage: Stage,
      whom: User,
    ) => { readonly ask: () => Promise<Answer>; readonly on: string; readonly holds: () => Promise<string> },
    writes: (stage: Stage, whom: User) => ReturnType<typeof noteAct>,
    on: string,
  ): Pair['open'] =>
  async (stage) => {
    const whom = await newcomer(stage.site)
    const { ask, on: where, holds } = forbids(stage, whom)
    const act = writes(stage, whom)
    return {
      one: { ask, on: where },
      other: { ask: act.ask, on },
      state: async () => words({ [await holds()]: true, written: act.isDone() }),
    }
  }

const restricts =
  (type: string, holds: typeof isBanned, what: string) =>
  ({ site, ann, subsite }: Stage, { id, name }: User) => ({
    ask: () => ann.post('/s/arena/api/friend', { type, name, ...form }),
    on: 'relation',
    holds: async () => (holds(await site.running.app.load(Relation, `${subsite}.${id}`), site.running.app.clock()) ? what : 'free'),
  })

/** Somebody ends an account while somebody acts who does not know. */
const endWhile =
  (taking: Taking, act: (stage: Stage, whom: User) => ReturnType<typeof noteAct>, on: string): Pair['open'] =>
  async (stage) => {
    const whom = await newcomer(stage.site)
    const { ask, isDone, made } = act(stage, whom)
    const isReadable = async () => typeof made() === 'string' && (await readThing(stage.ann, String(made()))).body !== '[erased]'
    return {
      one: { ask: await taking.by(stage, whom), on: taking.on },
      other: { ask, on },
      state: async () => {
        const { deleted, erased } = (await stage.site.running.app.load(Account, whom.id)) ?? {}
        return words({ erased, deleted: deleted && !erased, written: isDone(), readable: erased && (await isReadable()) })
      },
    }
  }

let closed = 0
/** A subsite of ann's becomes private while bob does something there. */
const closeWhile =
  (act: (who: User, name: string) => ReturnType<typeof noteAct>, on: string): Pair['open'] =>
  async ({ site, ann, bob }) => {
    closed += 1
    const name = `closing${closed}`
    const subsite = await foundSubsite(ann, name)
    const { load } = site.running.app
    const { ask, isDone } = act(bob, name)
    return {
      one: {
        ask: async () => {
          await settle(ann, subsite, { type: 'private' })
          return ann.get(`/s/${name}/about`)
        },
        on: 'subsite',
      },
      other: { ask, on },
      state: async () => words({ private: (await load(Subsite, subsite))?.settings.type === 'private', written: isDone() }),
    }
  }

const EARLIER = 'none: it stays, as if it had been recorded earlier'
const MARKED = 'none: it stays, and its `seen` tells the audit'
const LOSES = (what: string) => `the link loses its slot, because of the ${what}`
const LEADS = (what: string) => `the comment is no longer sticky, because of the ${what}`

export const contentPairs: readonly Pair[] = [
  {
    acts: ['removal of a link', 'sticky'],
    rule: 'no removed link is sticky',
    repair: [LOSES('removal'), LOSES('removal')],
    ends: ['removed'],
    open: stickyWhile('removed', ({ ann }, id) => ann.post('/api/remove', { id, spam: false })),
  },
  {
    acts: ['deletion of a link', 'sticky'],
    rule: 'no deleted link is sticky',
    repair: [LOSES('deletion'), LOSES('deletion')],
    ends: ['deleted'],
    open: stickyWhile('deleted', ({ bob }, id) => bob.post('/api/del', { id })),
  },
  {
    acts: ['removal of a comment', 'sticky comment'],
    rule: 'no removed comment is sticky',
    repair: [LEADS('removal'), LEADS('removal')],
    ends: ['removed'],
    open: leadWhile('removed', ({ root }, id) => root.post('/api/remove', { id, spam: false })),
  },
  {
    acts: ['deletion of a comment', 'sticky comment'],
    rule: 'no deleted comment is sticky',
    repair: [LEADS('deletion'), LEADS('deletion')],
    ends: ['deleted'],
    open: leadWhile('deleted', ({ ann }, id) => ann.post('/api/del', { id })),
  },
  {
    acts: ['lock', 'comment'],
    rule: 'a locked link takes comments of its moderators only',
    repair: [EARLIER, EARLIER],
    ends: ['locked', 'locked written'],
    open: async (stage) => {
      const link = await submit(stage.bob, 'arena')
      const { load } = stage.site.running.app
      const comment = comments(await newcomer(stage.site), link)
      return {
        one: { ask: () => stage.ann.post('/api/lock', { id: link }), on: 'link' },
        other: { ask: comment.ask, on: 'comment' },
        state: async () => words({ locked: (await load(Link, link))?.locked, written: comment.isDone() }),
      }
    },
  },
  {
    acts: ['deletion of a comment', 'reply to it'],
    rule: 'a deleted comment takes no replies',
    repair: [EARLIER, EARLIER],
    ends: ['deleted', 'deleted written'],
    open: async (stage) => {
      const comment = await say(stage.bob, stage.link)
      const { load } = stage.site.running.app
      const reply = comments(await newcomer(stage.site), comment)
      return {
        one: { ask: () => stage.bob.post('/api/del', { id: comment }), on: 'comment' },
        other: { ask: reply.ask, on: 'comment' },
        state: async () => words({ deleted: (await load(Comment, comment))?.deleted, written: reply.isDone() }),
      }
    },
  },
  {
    acts: ['ban', 'link or comment'],
    rule: 'a banned account writes nothing',
    repair: [EARLIER, EARLIER],
    ends: ['banned', 'banned written'],
    open: writeWhile(restricts('banned', isBanned, 'banned'), ({ link }, whom) => comments(whom, link), 'comment'),
  },
  {
    acts: ['mute', 'message to the moderators'],
    rule: 'a muted account does not write to them',
    repair: [EARLIER, EARLIER],
    ends: ['muted', 'muted written'],
    open: writeWhile(restricts('muted', isMuted, 'muted'), (_, whom) => letter(whom, '/s/arena'), 'message'),
  },
  {
    acts: ['wiki ban', 'edit of a page'],
    rule: 'an account that is banned from the wiki does not edit it',
    repair: [EARLIER, EARLIER],
    ends: ['wikibanned', 'wikibanned written'],
    open: writeWhile(
      restricts('wikibanned', isWikiBanned, 'wikibanned'),
      (_, whom) => noteAct(() => whom.post('/s/arena/api/wiki/edit', { page: `page_of_${whom.name}`, content: 'words' })),
      'wikipage',
    ),
  },
  {
    acts: ['suspension', 'link or comment'],
    rule: 'a suspended account writes nothing',
    repair: [EARLIER, EARLIER],
    ends: ['suspended', 'suspended written'],
    open: writeWhile(
      ({ site, root }, { id, name }) => ({
        ask: () => root.post('/api/suspend_user', { name, duration: 3, ...form }),
        on: 'account',
        holds: async () => {
          const account = await site.running.app.load(Account, id)
          return account && isSuspended(account, site.running.app.clock()) ? 'suspended' : 'free'
        },
      }),
      ({ link }, whom) => comments(whom, link),
      'comment',
    ),
  },
  {
    acts: ['block of a subsite', 'message in its name'],
    rule: 'a subsite writes to nobody who blocks it',
    repair: [EARLIER, EARLIER],
    ends: ['blocked', 'blocked written'],
    open: async ({ site, ann, subsite }) => {
      const whom = await newcomer(site)
      await letter(ann, whom.name, { from_sr: 'arena' }).ask()
      const id = String((await whom.get('/message/inbox')).at('data.children.0.data.name'))
      const message = letter(ann, whom.name, { from_sr: 'arena' })
      const { load } = site.running.app
      return {
        one: { ask: () => whom.post('/api/block', { id }), on: 'avoidance' },
        other: { ask: message.ask, on: 'message' },
        state: async () => words({ blocked: (await load(MuteAndBlock, `${whom.id}.${subsite}`))?.blocked, written: message.isDone() }),
      }
    },
  },
  {
    acts: ['block of an account', 'message to it'],
    rule: 'mail that is sent during a block is not shown',
    repair: [EARLIER, EARLIER],
    ends: ['blocked written'],
    open: async ({ site, bob }) => {
      const whom = await newcomer(site)
      await letter(bob, whom.name).ask()
      const id = String((await whom.get('/message/inbox')).at('data.children.0.data.name'))
      const message = letter(bob, whom.name)
      const { load } = site.running.app
      return {
        one: { ask: () => whom.post('/api/block', { id }), on: 'contact' },
        other: { ask: message.ask, on: 'message' },
        state: async () => words({ blocked: (await load(Contact, `${whom.id}.${bob.id}`))?.blocked, written: message.isDone() }),
      }
    },
  },
  {
    acts: ['change to a private subsite', 'subscription'],
    rule: 'nobody subscribes to what they may not view',
    repair: [EARLIER, EARLIER],
    ends: ['private', 'private written'],
    open: closeWhile((who, name) => noteAct(() => who.post('/api/subscribe', { action: 'sub', sr_name: name })), 'subscription'),
  },
  {
    acts: ['change to a private subsite', 'link or comment'],
    rule: 'nobody writes where they may not view',
    repair: [EARLIER, EARLIER],
    ends: ['private', 'private written'],
    open: closeWhile((who, name) => noteAct(() => who.post('/api/submit', { sr: name, kind: 'self', title: 'words', ...form })), 'link'),
  },
  {
    acts: ['end of a distinction', 'sticky comment'],
    rule: 'a sticky comment is distinguished',
    repair: [LEADS('end'), LEADS('end')],
    ends: ['plain', 'sticky'],
    open: leadWhile('plain', ({ ann }, id) => ann.post('/api/distinguish', { id, how: 'no', ...form })),
  },
  {
    acts: ['deletion of an account', 'link or comment of its own'],
    rule: 'a deleted account writes nothing',
    repair: [EARLIER, EARLIER],
    ends: ['deleted', 'deleted written'],
    open: endWhile(deletes, ({ link }, whom) => comments(whom, link), 'comment'),
  },
  {
    acts: ['erasure of an account', 'link or comment of its own'],
    rule: 'an erased account has no readable text',
    repair: ['the text is erased with all others', 'the text is erased with all others'],
    ends: ['erased', 'erased written'],
    open: endWhile(erases, ({ link }, whom) => comments(whom, link), 'comment'),
  },
  {
    acts: ['deletion of an account', 'message to it'],
    rule: 'a deleted account is found by no name',
    repair: [EARLIER, EARLIER],
    ends: ['deleted', 'deleted written'],
    open: endWhile(deletes, ({ bob }, whom) => letter(bob, whom.name), 'message'),
  },
  {
    acts: ['deletion of an account', 'friendship with it'],
    rule: 'a deleted account is found by no name',
    repair: ['none: no list shows a deleted account', 'none: no list shows a deleted account'],
    ends: ['deleted', 'deleted written'],
    open: endWhile(
      deletes,
      ({ bob }, { name }) => noteAct(() => bob.request('PUT', `/api/v1/me/friends/${name}`, { json: {} })),
      'contact',
    ),
  },
  {
    acts: ['removal of a moderator', 'act of that moderator on another stream'],
    rule: 'only moderators act for a subsite',
    repair: [MARKED, MARKED],
    ends: ['dismissed', 'dismissed written'],
    open: async ({ site, ann, bob, subsite }) => {
      const whom = await newcomer(site)
      await appoint(ann, 'arena', whom, '+all')
      const id = await submit(bob, 'arena')
      const { ask, isDone } = noteAct(() => whom.post('/api/lock', { id }))
      return {
        one: { ask: () => ann.post('/s/arena/api/unfriend', { type: 'moderator', name: whom.name, ...form }), on: 'moderators' },
        other: { ask, on: 'link' },
        state: async () => {
          const moderators = await site.running.app.load(Moderators, subsite)
          return words({ dismissed: moderatorOf(moderators, whom.id) === undefined, written: isDone() })
        },
      }
    },
  },
  {
    acts: ['end of an approval as contributor', 'link in a restricted subsite'],
    rule: 'only contributors submit there',
    repair: [EARLIER, EARLIER],
    ends: ['withdrawn', 'withdrawn written'],
    open: async ({ site, ann, bob }) => {
      closed += 1
      const name = `closing${closed}`
      const subsite = await foundSubsite(ann, name, { type: 'restricted' })
      const approval = { type: 'contributor', name: bob.name, ...form }
      await postForm(ann, `/s/${name}/api/friend`, approval)
      const { ask, isDone } = noteAct(() => bob.post('/api/submit', { sr: name, kind: 'self', title: 'words', ...form }))
      return {
        one: { ask: () => ann.post(`/s/${name}/api/unfriend`, approval), on: 'relation' },
        other: { ask, on: 'link' },
        state: async () => {
          const relation = await site.running.app.load(Relation, `${subsite}.${bob.id}`)
          return words({ withdrawn: !relation?.contributor, written: isDone() })
        },
      }
    },
  },
  {
    acts: ['change of a multi to private', 'copy of it'],
    rule: 'nobody copies what they may not see',
    repair: [EARLIER, EARLIER],
    ends: ['private', 'private written'],
    open: async ({ site }) => {
      const [owner, whom] = [await newcomer(site), await newcomer(site)]
      const path = `user/${owner.name}/m/words`
      const show = (visibility: string) => put(owner, path, { visibility })
      await show('public')
      const { ask, isDone } = noteAct(() => copy(whom, { from: path, to: `user/${whom.name}/m/words` }))
      const id = multiId({ account: owner.id, kind: 'm', name: 'words' })
      return {
        one: { ask: () => show('private'), on: 'multi' },
        other: { ask, on: 'multi' },
        state: async () => {
          const standing = await site.running.app.load(MultiStream, id)
          return words({ private: standing?.multi.visibility === 'private', written: isDone() })
        },
      }
    },
  },
]
