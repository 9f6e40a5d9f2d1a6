import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import { type CommentDocument, comments } from '../../../projections/comments.ts'
import { links } from '../../../projections/links.ts'
import type { App } from '../../app.ts'
import type { Command } from '../../commands/command.ts'
import { Username } from '../../domain/account.ts'
import { Comment, deleteComment, editComment, postComment } from '../../domain/comment.ts'
import { refuse } from '../../domain/decision.ts'
import { type AccountId, type CommentId, fullname as fullnameOf, kindOf } from '../../domain/ids.ts'
import { deleteLink, editLink, Link } from '../../domain/link.ts'
import { mentionedNames } from '../../domain/mentions.ts'
import { Moderators } from '../../domain/moderators.ts'
import { claimOf } from '../../domain/names.ts'
import type { Refusal } from '../../domain/refusal.ts'
import { Relation } from '../../domain/relation.ts'
import { mayView, standingOf, stranger } from '../../domain/standing.ts'
import { Subsite } from '../../domain/subsite.ts'
import { reading } from '../../queries/reading.ts'
import { asWritten } from '../../queries/told.ts'
import { standingIn } from '../access.ts'
import { type AnyEndpoint, endpoint, type Reply, type Viewer } from '../endpoint.ts'
import type { Fragment } from '../json.ts'
import { aliased, described, raw } from '../params.ts'
import { beginWait, isLimited, waitOf } from '../posting-limits.ts'
import { commentThing } from '../present/comment.ts'
import { linkThing } from '../present/link.ts'
import { replyTo } from './messages.ts'

const section = 'Links and comments'

const nameIn = (text: string): string => text.trim().toLowerCase()

const shown = (thing: Fragment | undefined): Reply => ({ kind: 'form', data: { things: thing ? [thing] : [] } })

/** Who is mentioned and may be told: somebody who can view the subsite. */
const mentionedIn = async (app: App, body: string, subsite: Subsite, command: Command): Promise<readonly AccountId[]> => {
  const claims = await Promise.all(mentionedNames(body).map((name) => app.load(Username, claimOf(name), command)))
  const mentioned = claims.flatMap((claim) => (claim ? [claim.account] : []))
  if (mayView(subsite.settings.type, stranger)) return mentioned
  const moderators = await app.load(Moderators, subsite.id, command)
  const views = await Promise.all(
    mentioned.map(async (id) => {
      const relation = await app.load(Relation, `${subsite.id}.${id}`, command)
      return mayView(subsite.settings.type, standingOf(id, { moderators, relation, admin: false, at: app.clock() }))
    }),
  )
  return mentioned.filter((_, index) => views[index])
}

const commentCalled = async ({ documents }: App, id: CommentId): Promise<CommentDocument | undefined> =>
  (await documents.getMany(comments, [id])).get(id)

const present = async (app: App, viewer: Viewer, comment: CommentDocument | undefined): Promise<Reply> => {
  if (!comment) return shown(undefined)
  const around = await reading(app, viewer).around([comment], [comment.link])
  return shown(commentThing(comment, around))
}

type Text = { readonly viewer: Viewer; readonly account: AccountId; readonly ip: string; readonly command: Command }

const commentOn = async (app: App, asked: Text, parentId: string, body: string): Promise<Either<Refusal, Reply>> => {
  const { viewer, account, ip, command } = asked
  const parent = kindOf(parentId) === 'comment' ? await app.load(Comment, parentId, command) : undefined
  const thread = await app.load(Link, parent?.link ?? parentId, command)
  const subsite = thread && (await app.load(Subsite, thread.subsite, command))
  if (!thread || !subsite) return refuse('FORBIDDEN')
  const standing = await standingIn(app, viewer, subsite.id, command)
  const poster = { viewer, ip }
  const ownSelfPost = thread.isSelf && thread.author === account
  const limited = !ownSelfPost && (await isLimited(app, poster, { subsite: subsite.id, standing }, 'comment'))
  const wait = limited ? await waitOf(app, poster, 'comment') : undefined
  const mentioned = await mentionedIn(app, body, subsite, command)
  const comment = fullnameOf('comment', command.mint)
  const facts = { comment, author: account, at: app.clock(), thread, parent, subsite, standing, mentioned, wait }
  const recorded = await app.run(Comment, comment, postComment(facts, body), command)
  if (E.isLeft(recorded)) return recorded
  if (limited) await beginWait(app, poster, 'comment')
  const written = asWritten(app)
  return E.right(await present(written, viewer, await commentCalled(written, comment)))
}

export const comment = endpoint({
  method: 'POST',
  path: '/api/comment',
  facts: 'recent',
  scope: ({ thing_id }) => [kindOf(nameIn(thing_id)) === 'message' ? 'privatemessages' : 'submit'],
  login: 'user',
  errors: 'form',
  json: true,
  section,
  summary: 'Comment on a link, or reply to a comment or a message.',
  notes:
    'Answers the new thing. On a locked link only its moderators may comment. Up to three accounts mentioned as `/u/name` are told so; with more nobody is.',
  params: {
    thing_id: aliased(described(raw(), 'fullname of what is replied to'), 'parent'),
    text: aliased(described(raw(), 'markdown, at most 10,000 characters'), 'comment'),
  },
  handle: async ({ params, viewer, ip, command }, app) => {
    const { account } = viewer
    if (account === undefined) return refuse('USER_REQUIRED')
    const parent = nameIn(params.thing_id)
    const kind = kindOf(parent)
    if (kind === 'message') return replyTo(app, { viewer, account, command }, parent, params.text)
    if (kind !== 'link' && kind !== 'comment') return refuse('FORBIDDEN')
    return commentOn(app, { viewer, account, ip, command }, parent, params.text)
  },
})

const editedLink = async (app: App, { viewer, account, command }: Text, id: string, text: string): Promise<Either<Refusal, Reply>> => {
  const recorded = await app.run(Link, id, editLink({ account, admin: viewer.admin }, text), command)
  if (E.isLeft(recorded)) return recorded
  const written = asWritten(app)
  const link = (await written.documents.getMany(links, [id])).get(id)
  if (!link) return E.right(shown(undefined))
  // late read models must not show the old text
  const around = await reading(written, viewer).around([link])
  return E.right(shown(linkThing(link.text === text ? link : { ...link, text, edited: command.at }, around)))
}

const editedComment = async (app: App, { viewer, account, command }: Text, id: string, body: string): Promise<Either<Refusal, Reply>> => {
  const before = await app.load(Comment, id, command)
  const subsite = before && (await app.load(Subsite, before.subsite, command))
  const mentioned = subsite && before.author === account ? await mentionedIn(app, body, subsite, command) : []
  const recorded = await app.run(Comment, id, editComment({ account, mentioned }, body), command)
  if (E.isLeft(recorded)) return recorded
  const written = asWritten(app)
  const known = await commentCalled(written, id)
  // late read models must not show the old text
  return E.right(await present(written, viewer, known && (known.body === body ? known : { ...known, body, edited: command.at })))
}

export const editUserText = endpoint({
  method: 'POST',
  path: '/api/editusertext',
  scope: 'edit',
  login: 'user',
  errors: 'form',
  json: true,
  section,
  summary: 'Change the text of an own comment or self-post.',
  notes: 'Also after a lock, a removal or a ban. Answers the changed thing; `edited` is the time of the last edit. New mentions are told.',
  params: {
    thing_id: described(raw(), 'fullname of an own comment or self-post'),
    text: described(raw(), 'markdown: at most 10,000 characters for a comment, 40,000 for a self-post'),
  },
  handle: async ({ params, viewer, ip, command }, app) => {
    const { account } = viewer
    if (account === undefined) return refuse('USER_REQUIRED')
    const id = nameIn(params.thing_id)
    const asked = { viewer, account, ip, command }
    switch (kindOf(id)) {
      case 'link':
        return editedLink(app, asked, id, params.text)
      case 'comment':
        return editedComment(app, asked, id, params.text)
      default:
        return refuse('NOT_AUTHOR', 'thing_id')
    }
  },
})

export const del = endpoint({
  method: 'POST',
  path: '/api/del',
  scope: 'edit',
  login: 'user',
  errors: 'silent',
  section,
  summary: 'Delete an own link or comment.',
  notes:
    'It leaves every listing; its page stays, without name and text. What is not the own, or not there, stays as it is, without an error.',
  params: { id: described(raw(), 'fullname of an own link or comment') },
  handle: async ({ params, viewer: { account }, command }, { run }) => {
    if (account === undefined) return refuse('USER_REQUIRED')
    const id = nameIn(params.id)
    switch (kindOf(id)) {
      case 'link':
        return E.map(() => undefined)(await run(Link, id, deleteLink(account), command))
      case 'comment':
        return E.map(() => undefined)(await run(Comment, id, deleteComment(account), command))
      default:
        return E.right(undefined)
    }
  },
})

export const commentEndpoints: readonly AnyEndpoint[] = [comment, editUserText, del]
