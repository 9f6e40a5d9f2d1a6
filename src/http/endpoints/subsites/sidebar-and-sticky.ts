// Decisions 10 and 80.

import * as E from 'fp-ts/lib/Either.js'
import { links } from '../../../../projections/links.ts'
import { stickies } from '../../../../projections/stickies.ts'
import type { SubsiteDocument } from '../../../../projections/subsites.ts'
import { STICKY_SLOTS } from '../../../domain/stickies.ts'
import { getOne } from '../../../ports/documents.ts'
import { subsiteNamed } from '../../../queries/subsites.ts'
import { type AnyEndpoint, type Need, section } from '../../contract/endpoint.ts'
import { describeParam, integer, replaceRefusal, withDefault } from '../../contract/params.ts'
import { refuseRule } from '../../contract/refusals.ts'
import type { Viewer } from '../../contract/request.ts'
import { noBody } from '../../contract/schemas/answers.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { subsiteHere } from '../../needs/facts.ts'
import { renderAhead, renderMarked } from '../../present/markdown.ts'
import { linkPermalink } from '../../present/permalink.ts'
import { mayView } from '../../things/access.ts'
import { readsOver18 } from '../../things/over18.ts'

const { get } = section('Subsites', { scope: 'read', login: 'anyone', errors: 'plain' })

/** Returns the subsite of the path, or the home subsite if the viewer may view it. */
const subsiteOrHome: Need<SubsiteDocument | undefined, unknown, Viewer> = async (context) => {
  const { site, config, documents } = context
  if (site.kind === 'subsite') return E.right(site.subsite)
  if (site.kind !== 'home' || config.homeSubsite === undefined) return E.right(undefined)
  const home = await subsiteNamed(documents, config.homeSubsite)
  return E.right(home && (await mayView(context, home)) ? home : undefined)
}

const sidebar = get('[/s/{sub}]/sidebar', {
  aliases: ['[/s/{sub}]/about/sidebar'],
  answers: { 200: shape.recordSchema({ description: shape.text('Be kind.'), description_html: shape.orNull(shape.html('Be kind.')) }) },
  summary: 'The sidebar of a subsite: its description.',
  notes: 'Without a subsite in the path: the sidebar of the subsite that `HOME_SUBSITE` names, or empty texts.',
  cache: 'public',
  needs: { subsite: subsiteOrHome },
  handle: async ({ subsite }) => {
    const description = subsite?.settings.description ?? ''
    await renderAhead([description])
    return { kind: 'json', body: { description, description_html: renderMarked(description) } }
  },
})

const submitText = get('[/s/{sub}]/api/submit_text', {
  scope: 'submit',
  answers: {
    200: shape.recordSchema({
      submit_text: shape.orNull(shape.text('Read the rules.')),
      submit_text_html: shape.orNull(shape.html('Read the rules.')),
    }),
  },
  summary: 'The text that the moderators show above the submit form.',
  notes: 'Both members are null if the subsite is over-18 and the viewer does not read over-18 content.',
  handle: async (context) => {
    const { site } = context
    if (site.kind !== 'subsite') return { kind: 'json', body: { submit_text: '', submit_text_html: null } }
    const { over_18, submit_text } = site.subsite.settings
    if (over_18 && !(await readsOver18(context))) return { kind: 'json', body: { submit_text: null, submit_text_html: null } }
    return { kind: 'json', body: { submit_text, submit_text_html: renderMarked(submit_text) } }
  },
})

export const sticky = get('[/s/{sub}]/sticky', {
  aliases: ['[/s/{sub}]/about/sticky'],
  answers: { 302: noBody },
  summary: 'Redirects to a stickied link of the subsite.',
  notes: '404 if the slot is empty, or without a subsite in the path.',
  params: { num: describeParam(replaceRefusal(withDefault(integer({ min: 1, max: STICKY_SLOTS }), 1), 'NOT_FOUND'), 'the slot') },
  needs: { subsite: subsiteHere() },
  handle: async ({ params, subsite, extension, documents }) => {
    const slots = (await getOne(documents, stickies, subsite.id))?.links ?? []
    const id = slots[params.num - 1]
    const link = id === undefined ? undefined : await getOne(documents, links, id)
    if (!link) return refuseRule('NOT_FOUND')
    const location = `${linkPermalink(subsite.name, link.id, link.title)}${extension ? `.${extension}` : ''}`
    return { kind: 'redirect', location }
  },
})

export const sidebarEndpoints: readonly AnyEndpoint[] = [sidebar, submitText]
