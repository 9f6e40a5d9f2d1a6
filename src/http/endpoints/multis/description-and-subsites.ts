import * as E from 'fp-ts/lib/Either.js'
import type { SubsiteId } from '../../../domain/ids.ts'
import { addSubsiteTo, editMulti, withoutSubsite, withQuotes } from '../../../domain/multi.ts'
import { bareSubsite } from '../../../domain/names.ts'
import { Subsite } from '../../../domain/subsite.ts'
import { type AnyEndpoint, type Context, type Need, section } from '../../contract/endpoint.ts'
import { describeParam, rawText } from '../../contract/params.ts'
import { refuseRule } from '../../contract/refusals.ts'
import type { Viewer } from '../../contract/request.ts'
import { noBody } from '../../contract/schemas/answers.ts'
import { renderAhead } from '../../present/markdown.ts'
import { multiDescription, multiDescriptionShape, multiSubsiteShape } from '../../present/multi.ts'
import { multiEdited, multipath, toShownMultis, visibleMulti, writeMulti } from '../../things/multis.ts'
import { descriptionIn, model, requireKey, subsiteIn } from './model.ts'

const commonOptions = { scope: 'read', login: 'user', errors: 'coded', whileSuspended: true, accountQuota: 'multi' } as const
const { delete: del, get, put } = section('Multis', commonOptions)

const ofDescription = { otherPaths: ['/api/filter/{filterpath}/description'] } as const

const description = get('/api/multi/{multipath}/description', {
  ...ofDescription,
  answers: { 200: multiDescriptionShape },
  summary: 'The description of a multi.',
  params: { multipath },
  needs: { multi: visibleMulti },
  handle: async ({ multi, documents }) => {
    const [shown = multi] = await toShownMultis(documents, [multi])
    await renderAhead([shown.description])
    return { kind: 'json', body: multiDescription(shown) }
  },
})

const textAsked: Need<string, { readonly model: string }> = async ({ params }) => {
  const text = requireKey(params.model, 'body_md')
  return E.isLeft(text) ? text : descriptionIn(text.right, 'body_md')
}

const describe = put('/api/multi/{multipath}/description', {
  ...ofDescription,
  answers: { 200: multiDescriptionShape },
  summary: 'Set the description of your multi, in markdown.',
  notes: 'The model has one key, `body_md`, of up to 10,000 characters.',
  params: { multipath, model },
  needs: { id: multiEdited, text: textAsked },
  handle: async (context) => {
    const { id, text } = context
    const written = await writeMulti(context, id, (others) => editMulti(() => ({ description: text }), others))
    return E.isLeft(written) ? written : { kind: 'json', body: multiDescription(withQuotes(written.right.multi)) }
  },
})

const ofSubsite = {
  otherPaths: ['/api/filter/{filterpath}/s/{srname}'],
  aliases: ['/api/multi/{multipath}/r/{srname}', '/api/filter/{filterpath}/r/{srname}'],
} as const
const srname = describeParam(rawText(), 'name of the subsite')

const subsiteMeant: Need<SubsiteId, { readonly srname: string }, Viewer> = (context) =>
  subsiteIn(context, bareSubsite(context.params.srname), 'srname')

/** Returns the subsite as multis contain it, under the name that its founder wrote. */
const entryOf = async ({ load }: Pick<Context, 'load'>, subsite: SubsiteId) => ({ name: (await load(Subsite, subsite))?.name })

const showSubsite = get('/api/multi/{multipath}/s/{srname}', {
  ...ofSubsite,
  answers: { 200: multiSubsiteShape },
  summary: 'A subsite in a multi.',
  notes: '404 if the multi does not contain it.',
  params: { multipath, srname },
  needs: { multi: visibleMulti, subsite: subsiteMeant },
  handle: async (context) => {
    const { multi, subsite } = context
    if (!multi.subsites.includes(subsite)) return refuseRule('NOT_FOUND', 'srname')
    return { kind: 'json', body: await entryOf(context, subsite) }
  },
})

const nameAsked: Need<null, { readonly model: string }> = ({ params }) => E.map(() => null)(requireKey(params.model, 'name'))

const addSubsite = put('/api/multi/{multipath}/s/{srname}', {
  ...ofSubsite,
  scope: 'subscribe',
  answers: { 200: multiSubsiteShape, 201: multiSubsiteShape },
  summary: 'Add a subsite to your multi or to your filter.',
  notes: 'The model has a `name`, but the name in the path is used. 201 if it was added. A filter that does not exist is created.',
  params: { multipath, srname, model },
  needs: { id: multiEdited, name: nameAsked, subsite: subsiteMeant },
  handle: async (context) => {
    const { id, subsite, command } = context
    const written = await writeMulti(context, id, (others) => addSubsiteTo(id, subsite, command.at, others))
    if (E.isLeft(written)) return written
    return { kind: 'json', status: written.right.isChanged ? 201 : 200, body: await entryOf(context, subsite) }
  },
})

const removeSubsite = del('/api/multi/{multipath}/s/{srname}', {
  ...ofSubsite,
  scope: 'subscribe',
  answers: { 200: noBody },
  summary: 'Remove a subsite from your multi or from your filter.',
  notes: 'Changes nothing if the multi does not contain it.',
  params: { multipath, srname },
  needs: { id: multiEdited, subsite: subsiteMeant },
  handle: async (context) => {
    const { id, subsite } = context
    const written = await writeMulti(context, id, (others) => editMulti(withoutSubsite(subsite), others))
    return E.isLeft(written) ? written : { kind: 'empty', status: 200 }
  },
})

export const multiPartEndpoints: readonly AnyEndpoint[] = [description, describe, showSubsite, addSubsite, removeSubsite]
