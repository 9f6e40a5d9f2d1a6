import * as E from 'fp-ts/lib/Either.js'
import { SITE_RULES } from '../../../domain/report.ts'
import { SubsiteRules } from '../../../domain/rules.ts'
import { type End, type Need, section } from '../../contract/endpoint.ts'
import { fullname } from '../../contract/name-params.ts'
import { describeParam, replaceRefusal } from '../../contract/params.ts'
import { cast } from '../../contract/schemas/names.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { eitherThing } from '../../contract/schemas/things.ts'
import { textCalled } from '../../needs/facts.ts'
import { commentThingShape } from '../../present/comment.ts'
import { linkThingShape } from '../../present/link.ts'
import { column, documentsNamed, kindsWith, recordsOf } from '../../things/kinds/all.ts'
import type { UserText } from '../../things/kinds/kind.ts'

/** Returns the thing to report, which the viewer may read. */
const requireReadable: Need<UserText, { readonly id: string }> = async (context): Promise<E.Either<End, UserText>> => {
  const { id } = context.params
  const text = await textCalled(context, id, 'id')
  if (E.isLeft(text) || text.right.subsite !== null) return text
  const read = await column(id, 'inbox')?.read(context, id)
  return read && E.isLeft(read) ? read : text
}

export const reportForm = section('Links and comments').get('/report', {
  scope: 'report',
  login: 'user',
  errors: 'plain',
  answers: {
    200: shape.recordSchema({
      id: shape.text(cast.link),
      thing: shape.orNull(eitherThing(linkThingShape, commentThingShape)),
      rules: shape.listOf(shape.text('Be kind', 'The name of a rule of its subsite.')),
      site_rules: shape.listOf(shape.text('Spam')),
    }),
  },
  summary: 'What the form for a report needs: the link or the comment, and the rules to choose the reason from.',
  notes: 'Of a message, `thing` is null. 403 if you may not read it.',
  params: { id: describeParam(replaceRefusal(fullname(...kindsWith('text')), 'NOT_FOUND'), 'fullname of a link, a comment or a message') },
  needs: { reported: requireReadable },
  handle: async (context) => {
    const { reported, params, load } = context
    const { id } = params
    const records = reported.subsite === null ? undefined : await recordsOf(context, await documentsNamed(context, [id]))
    const rules = reported.subsite === null ? undefined : await load(SubsiteRules, reported.subsite)
    const body = { id, thing: records?.get(id) ?? null, rules: (rules ?? []).map(({ name }) => name), site_rules: SITE_RULES }
    return { kind: 'json', body, fleeting: true }
  },
})
