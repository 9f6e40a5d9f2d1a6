import { either as E } from 'fp-ts'
import { kindOf } from '../../domain/ids.ts'
import { Message } from '../../domain/message.ts'
import { Report, type ReportEvent, reasonOf, reportMessage, reportThing } from '../../domain/report.ts'
import { putAway, Shelf } from '../../domain/shelf.ts'
import { isModerator } from '../../domain/standing.ts'
import { standingIn } from '../access.ts'
import { withinQuota } from '../account-quota.ts'
import { type Context, endpoint, type Need, nothingToDo, type SignedIn } from '../endpoint.ts'
import { moderationOf } from '../kinds.ts'
import { moderating, type Post, postCalled } from '../needs.ts'
import { aliased, described, fullname, lenient, optional, refusing, text } from '../params.ts'

/** What is reported; nothing is done about what does not exist, or not any more. */
const reportable: Need<Post | Message, { readonly thing_id: string | undefined }> = async (context) => {
  const id = context.params.thing_id
  if (id === undefined) return E.left(nothingToDo)
  if (kindOf(id) === 'message') {
    const message = await context.load(Message, id)
    return message ? E.right(message) : E.left(nothingToDo)
  }
  const post = await postCalled(context, id, 'NOT_FOUND')
  return E.isLeft(post) && post.left.code === 'NOT_FOUND' ? E.left(nothingToDo) : post
}

type Reporting = Context<unknown, SignedIn>

const onMessage = async (context: Reporting, message: Message, reason: string) => {
  const { account } = context.viewer
  const moderator = message.subsite !== null && isModerator(await standingIn(context, message.subsite))
  return context.run<Report, ReportEvent>(Report, `${account}.${message.message}`, reportMessage({ account, moderator }, message, reason))
}

/** Who reports does not want to see it any more, also where the report itself does not count; those who moderate it have to. */
const onPost = async (context: Reporting, post: Post, reason: string) => {
  const { run, viewer } = context
  const { account, admin } = viewer
  const standing = await standingIn(context, post.subsite)
  const moderator = isModerator(standing)
  const stream = `${account}.${post.id}`
  if (!moderator && !admin) {
    const hidden = await run(Shelf, stream, putAway({ account, thing: post.id, subsite: post.subsite }))
    if (E.isLeft(hidden)) return hidden
  }
  return run<Report, ReportEvent>(Report, stream, reportThing({ account, moderator, banned: standing.banned }, post, reason))
}

const reason = (description: string) => described(text({ max: 100, empty: true }), description)

export const report = endpoint({
  method: 'POST',
  path: '/api/report',
  scope: 'report',
  login: 'user',
  errors: 'form',
  json: true,
  section: 'Links and comments',
  summary: 'Bring a link or a comment before its moderators, or a message before the admins.',
  notes:
    'It is hidden from the reporter, moderators there and admins apart. One report of an account on a thing counts, for ever: repetitions change nothing, nor do reports by somebody who is banned there, or on what does not exist any more. A message is reported by its recipient or by moderators of the subsite whose mail it is; 403 for others.',
  params: {
    thing_id: described(
      aliased(lenient(optional(fullname('link', 'comment', 'message')), undefined), 'id'),
      'fullname of a link, a comment or a message',
    ),
    reason: reason('why; `site_reason_selected` and `other` stand for the fields that follow'),
    site_reason: reason('with `site_reason_selected`'),
    other_reason: reason('with `other`'),
  },
  needs: { reported: reportable },
  handle: (context) => {
    const { reported, params } = context
    const why = reasonOf(params)
    return withinQuota(context, 'report', () =>
      'message' in reported ? onMessage(context, reported, why) : onPost(context, reported, why),
    )
  },
})

const ignorable = described(refusing(fullname('link', 'comment', 'message'), 'FORBIDDEN'), 'a link or a comment')

const ignoring = (
  act: 'ignoreReports' | 'unignoreReports',
  words: { readonly path: string; readonly summary: string; readonly notes: string },
) =>
  endpoint({
    ...words,
    method: 'POST',
    scope: 'modposts',
    login: 'moderator',
    errors: 'silent',
    section: 'Moderation',
    params: { id: ignorable },
    needs: { act: moderating('id', 'posts') },
    handle: (context) => {
      const { id } = context.params
      const decide = moderationOf(id)?.[act]
      return decide && withinQuota(context, 'ignore', () => decide(context, id))
    },
  })

export const ignoreReports = ignoring('ignoreReports', {
  path: '/api/ignore_reports',
  summary: 'Let later reports on a link or a comment put it into no queue.',
  notes:
    'They are counted all the same. It stays in the queues where it is; an edit of its text ends it. Without effect on messages and on what is so already.',
})

export const unignoreReports = ignoring('unignoreReports', {
  path: '/api/unignore_reports',
  summary: 'Let later reports on a link or a comment put it into the queue again.',
  notes: 'Those that were made meanwhile do not. Without effect on messages and on what is so already.',
})
