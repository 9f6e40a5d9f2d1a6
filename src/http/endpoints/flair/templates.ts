import { v5 } from 'uuid'
import { clearTemplates, deleteTemplate, putTemplate, SubsiteFlair } from '../../../domain/subsite-flair.ts'
import { type AnyEndpoint, section } from '../../contract/endpoint.ts'
import { describeParam, documentRequired, flag, optional, rawText, replaceInvalid } from '../../contract/params.ts'
import { decodeLate, moderatorHere } from '../../needs/facts.ts'
import { classesParam, kindParam, textParam } from './target.ts'

const { post } = section('Flair', { scope: 'modflair', login: 'moderator', errors: 'form', accountQuota: 'settings' })

const templateId = describeParam(replaceInvalid(optional(rawText({ max: 100 })), undefined), 'of a template of this subsite')

const putFlairTemplate = post('[/s/{sub}]/api/flairtemplate', {
  aliases: ['[/s/{sub}]/api/flairtemplate_v2'],
  summary: 'Add a flair template to a subsite, or replace one.',
  notes:
    'For moderators with `flair`. With the id of a template of the subsite, that template is replaced and keeps its type; otherwise a template is added at the end; `/api/flairselector` shows its id. At most 350 of each type. A change is an entry in the moderation log.',
  params: { flair_template_id: templateId },
  needs: {
    act: moderatorHere('flair'),
    css_class: decodeLate(classesParam),
    text: decodeLate(textParam),
    flair_type: decodeLate(kindParam),
    text_editable: decodeLate(describeParam(flag(), 'users and authors who choose the template may change its text')),
  },
  handle: (context) => {
    const { act, css_class: css, text, flair_type, text_editable: editable, params, run, command } = context
    const id = params.flair_template_id?.toLowerCase()
    const put = putTemplate(act.subsite, flair_type, { id, text, css, editable }, v5('flair template', command.id))
    return run(SubsiteFlair, act.subsite, put)
  },
})

const deleteFlairTemplate = post('[/s/{sub}]/api/deleteflairtemplate', {
  summary: 'Delete a flair template of a subsite.',
  notes: 'For moderators with `flair`. Flair already set from it stays. An unknown template is 404.',
  params: { flair_template_id: documentRequired(templateId) },
  needs: { act: moderatorHere('flair') },
  handle: ({ act, params, run }) =>
    run(SubsiteFlair, act.subsite, deleteTemplate(act.subsite, params.flair_template_id?.toLowerCase() ?? '')),
})

const clearFlairTemplates = post('[/s/{sub}]/api/clearflairtemplates', {
  summary: 'Delete all flair templates of one type.',
  notes: 'For moderators with `flair`. Flair already set from them stays. If there is no template of that type, nothing is logged.',
  needs: { act: moderatorHere('flair'), flair_type: decodeLate(kindParam) },
  handle: ({ act, flair_type, run }) => run(SubsiteFlair, act.subsite, clearTemplates(act.subsite, flair_type)),
})

export const flairTemplates: readonly AnyEndpoint[] = [putFlairTemplate, deleteFlairTemplate, clearFlairTemplates]
