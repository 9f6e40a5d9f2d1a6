import * as E from 'fp-ts/lib/Either.js'
import { Comment } from '../../../domain/comment.ts'
import { Link } from '../../../domain/link.ts'
import { MAX_REASON_CHARACTERS, reasonOf } from '../../../domain/report.ts'
import { Subsite } from '../../../domain/subsite.ts'
import { withinQuota } from '../../../limits/account-quota.ts'
import { type AnyEndpoint, type Need, nothingToDo, section } from '../../contract/endpoint.ts'
import { fullname } from '../../contract/name-params.ts'
import { addAliases, describeParam, optional, replaceInvalid, replaceRefusal, text } from '../../contract/params.ts'
import { requireModerator, textCalled } from '../../needs/facts.ts'
import { column, kindsWith } from '../../things/kinds/all.ts'
import type { UserText } from '../../things/kinds/kind.ts'

/** Returns the reported thing. There is nothing to do if it does not exist or is deleted. */
const requireReportable: Need<UserText, { readonly thing_id: string | undefined }> = async (context) => {
  const id = context.params.thing_id
  if (id === undefined) return E.left(nothingToDo)
  const text = await textCalled(context, id, 'thing_id')
  return E.isLeft(text) && text.left.code === 'NOT_FOUND' ? E.left(nothingToDo) : text
}

const reason = (description: string) => describeParam(text({ max: MAX_REASON_CHARACTERS, empty: true, line: true }), description)

const report = section('Links and comments').post('/api/report', {
  scope: 'report',
  login: 'user',
  whileSuspended: true,
  facts: [Link, Comment, Subsite],
  errors: 'form',
  summary: 'Report a link or a comment to its moderators, or a message to the admins.',
  notes:
    'The thing is then hidden from the reporter, except from moderators of the subsite and admins, also by the report of a suspended account, which is refused. Only the first report of an account on a thing counts; reports by a banned account, or on a deleted thing, change nothing. A message can be reported by its recipient, and mail to moderators by moderators of the subsite; 403 for others.',
  params: {
    thing_id: describeParam(
      addAliases(replaceInvalid(optional(fullname(...kindsWith('text'))), undefined), 'id'),
      'fullname of a link, a comment or a message',
    ),
    reason: reason('why; `site_reason_selected` and `other` stand for the fields that follow'),
    site_reason: reason('with `site_reason_selected`'),
    other_reason: reason('with `other`'),
  },
  needs: { reported: requireReportable },
  handle: (context) => {
    const { reported, params } = context
    return withinQuota(context, 'report', () => reported.report(context, reasonOf(params)))
  },
})

const ignorable = describeParam(replaceRefusal(fullname(...kindsWith('moderation')), 'FORBIDDEN'), 'a link or a comment')

const ignoreEndpoint = (
  act: 'ignoreReports' | 'unignoreReports',
  path: string,
  words: { readonly summary: string; readonly notes: string },
) =>
  section('Moderation').post(path, {
    ...words,
    scope: 'modposts',
    login: 'moderator',
    errors: 'silent',
    params: { id: ignorable },
    needs: { act: requireModerator('id', 'posts') },
    accountQuota: 'ignore',
    handle: (context) => column(context.params.id, 'moderation')?.[act]?.(context, context.params.id),
  })

const ignoreReports = ignoreEndpoint('ignoreReports', '/api/ignore_reports', {
  summary: 'Ignore later reports on a link or a comment: they do not put it into a queue.',
  notes:
    'Reports are still counted. The thing stays in the queues that it is in. Editing its text ends the setting. Has no effect on messages, or if reports are already ignored.',
})

const unignoreReports = ignoreEndpoint('unignoreReports', '/api/unignore_reports', {
  summary: 'Stop ignoring reports: later reports on a link or a comment put it into the queue again.',
  notes: 'Reports made in the meantime do not. Has no effect on messages, or if reports are not ignored.',
})

export const reportEndpoints: readonly AnyEndpoint[] = [report, ignoreReports, unignoreReports]
