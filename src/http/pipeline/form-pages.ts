import * as E from 'fp-ts/lib/Either.js'
import { pathWithin } from '../contract/cross-site.ts'
import { toEndpointName } from '../contract/endpoint.ts'
import { type Fields, type OutgoingResponse, splitTarget } from '../contract/incoming.ts'
import { refusals } from '../contract/refusals.ts'
import type { Exchange } from '../contract/request-state.ts'
import { type ActMethod, actAddress } from '../pages/acts.ts'
import { formAnswers, shownAgain } from '../pages/all.ts'
import { renderFrame, withPreviewed } from '../pages/frame.ts'
import type { FormAnswer, RefusedForm } from '../pages/page.ts'
import { AGAIN_FIELD } from '../pages/parts/forms.ts'
import { renderInSlices } from '../wire/time-slices.ts'
import { afterForm, nextOf, previewIn, readFormFields } from './form-posts.ts'
import { quotaGate, stopWith } from './gates.ts'
import { bodyOf, isOverQuota, isOwnPage, type PageWriting } from './page-writing.ts'
import type { Ask } from './routes.ts'
import { decideSeveral, identify, isSeveral } from './several.ts'
import { type EndpointResult, respond } from './write-response.ts'

const overQuota = (exchange: Exchange): EndpointResult | undefined => {
  const stop = exchange.quota && quotaGate(exchange, exchange.quota)
  return stop && E.left(stop)
}

/** Opens the answers to forms: on to the next page, or back to the page of the form with the reason. */
export const openFormPages = ({ ask, pageOf, pageOfBody, htmlOf, problemPage, ownPage, around, atOf, bare }: PageWriting, answer: Ask) => {
  /** Returns the page of an answer that nobody can ask for again. */
  const pageOnce = async (
    exchange: Exchange,
    { title, main }: FormAnswer<never>,
    { status, body, headers }: OutgoingResponse,
    fields: Fields,
  ): Promise<OutgoingResponse> => {
    const cookie = headers['Set-Cookie']
    const content = JSON.parse(String(body)) as never
    // after the end of its session, the page is one of nobody
    const surroundings = cookie === undefined ? await around(exchange, atOf(exchange, fields), undefined) : bare(exchange)
    const frame = renderFrame(surroundings, { title, main: main(content, surroundings), robots: 'none' })
    return htmlOf(status, await renderInSlices(frame), {
      'Cache-Control': 'no-store',
      ...(cookie !== undefined && { 'Set-Cookie': cookie }),
    })
  }

  /** Returns the reason why a form was refused, from a form's errors or a plain refusal. */
  const toRefusedForm = (
    exchange: Exchange,
    outgoing: OutgoingResponse,
    fields: Fields,
  ): (RefusedForm & { readonly status: number }) | undefined => {
    const body = outgoing.body === undefined || outgoing.body === '' ? {} : JSON.parse(String(outgoing.body))
    const [ofUpload] = body.errors ?? []
    const [code, text, field] = body.json?.errors?.[0] ?? [
      body.reason ?? outgoing.headers['X-Reason'] ?? ofUpload,
      body.explanation ?? body.errors_values?.[0],
      body.fields?.[0] ?? null,
    ]
    const isError = body.json?.errors?.length || ofUpload !== undefined || outgoing.headers['X-Reason'] !== undefined
    if (code === undefined || (outgoing.status < 400 && !isError)) return undefined
    const known = refusals[code as keyof typeof refusals]
    const status = outgoing.status >= 400 ? outgoing.status : (known?.status ?? 400)
    const { target, method, isPageAct } = exchange.incoming
    const path = splitTarget(target)?.path ?? ''
    const action = isPageAct ? actAddress(path, method as ActMethod) : path
    const instead: string | undefined = body.json?.redirect
    const reason = text ?? known?.text ?? code
    return { action, fields, code, text: reason, field, instead, more: body.json ?? body, status: status >= 400 ? status : 400 }
  }

  /** Returns the page of a refused form, with the typed texts. */
  const formAgain = async (exchange: Exchange, form: RefusedForm): Promise<string | undefined> => {
    const target = pathWithin(form.fields.form_page ?? '')
    if (isOverQuota(exchange) || target === undefined) return undefined
    const { inner, answered } = await ask(exchange, target)
    const page = pageOf(inner.endpoint)
    const body = page && (await bodyOf(inner, answered))
    return page && body !== undefined ? pageOfBody(inner, page, body, form) : undefined
  }

  /** Answers a form that a browser posted: on to the next page, or back to its own with the reason. */
  const ofForm = async (exchange: Exchange, answered: EndpointResult): Promise<EndpointResult> => {
    if (E.isRight(answered) && isOwnPage(answered.right)) return ownPage(exchange, answered.right)
    if (E.isRight(answered) && 'kind' in answered.right && ['redirect', 'text', 'parts', 'stream'].includes(answered.right.kind))
      return answered
    // the texts of the answer become markup here
    exchange.writing = { ...exchange.writing, encoding: 'unicode' }
    const outgoing = respond(exchange, answered)
    const fields = await readFormFields(exchange.incoming)
    const refused = toRefusedForm(exchange, outgoing, fields)
    // a button for another captcha shows the form with the typed texts and a new captcha
    if (!refused && fields.form_action !== undefined) {
      const form = { action: fields.form_action, fields, code: '', text: '', field: null }
      const page = await formAgain(exchange, form)
      if (page !== undefined) return E.right(htmlOf(200, page))
    }
    if (!refused && fields[AGAIN_FIELD] !== undefined && exchange.endpoint && shownAgain.includes(toEndpointName(exchange.endpoint))) {
      const { data } = JSON.parse(String(outgoing.body)).json as { readonly data?: { readonly css?: string } }
      const action = splitTarget(exchange.incoming.target)?.path ?? ''
      const shownPage = await formAgain(exchange, { action, fields, code: '', text: '', field: null, more: { data } })
      const policy = data?.css === undefined ? {} : withPreviewed(data.css)
      const { headers, ...shown } = htmlOf(200, shownPage ?? '')
      if (shownPage !== undefined) return E.right({ ...shown, headers: { ...headers, ...policy, 'Cache-Control': 'no-store' } })
    }
    const once =
      refused || fields.dest !== undefined
        ? undefined
        : formAnswers.find(({ of }) => exchange.endpoint && of === toEndpointName(exchange.endpoint))
    if (once) return E.right(await pageOnce(exchange, once, outgoing, fields))
    if (!refused) return E.right(afterForm(exchange, fields, nextOf(exchange, outgoing, fields), outgoing.headers['Set-Cookie']))
    const again = await formAgain(exchange, refused)
    if (again !== undefined) return E.right(htmlOf(refused.status, again, outgoing.headers))
    const body = JSON.stringify({ reason: refused.code, explanation: refused.text })
    return E.right(await problemPage(exchange, { ...outgoing, body }, refused.status, refused))
  }

  /** Shows the page of a form with what it would change. Nothing is done. */
  const ofPreview = async (exchange: Exchange, action: string): Promise<EndpointResult> => {
    await identify(exchange, answer)
    const exceeded = overQuota(exchange)
    if (exceeded) return exceeded
    const fields = await readFormFields(exchange.incoming)
    const page = await formAgain(exchange, { action, fields, code: '', text: '', field: null })
    return page === undefined ? stopWith({ code: 'NOT_FOUND', field: null }) : E.right(htmlOf(200, page, { 'Cache-Control': 'no-store' }))
  }

  /** Answers a form that decided about several things: back to its page, with the failures and their reasons. */
  const ofSeveral = async (exchange: Exchange): Promise<EndpointResult> => {
    const { fields, done, refused } = await decideSeveral(exchange, answer)
    const chosen = done + refused.size
    const exceeded = done === 0 ? overQuota(exchange) : undefined
    if (exceeded) return exceeded
    if (chosen > 0 && refused.size === 0) return E.right(afterForm(exchange, fields))
    const text = chosen === 0 ? 'Nothing was chosen.' : `${done} of ${chosen} done. The others were left as they are; each says why.`
    const outcomes = Object.fromEntries([...refused].map(([name, reason]) => [`outcome.${name}`, reason]))
    const action = splitTarget(exchange.incoming.target)?.path ?? ''
    const form = { action, fields: { ...fields, ...outcomes }, code: 'CONFLICT', text, field: null }
    const status = chosen === 0 ? 400 : 409
    const page = await formAgain(exchange, form)
    if (page !== undefined) return E.right(htmlOf(status, page))
    const reasons = [...new Set(refused.values())].join(' ')
    const body = JSON.stringify({ reason: form.code, explanation: `${text} ${reasons}`.trim() })
    return E.right(await problemPage(exchange, { status, headers: {}, body }, status, form))
  }

  return {
    ofForm,
    /** Answers a form that no endpoint takes by itself: a preview, or one that decides about several things. */
    several: (exchange: Exchange): Promise<EndpointResult> | undefined => {
      const previewed = previewIn(exchange.incoming)
      if (previewed !== undefined) return ofPreview(exchange, previewed)
      return isSeveral(exchange.incoming) ? ofSeveral(exchange) : undefined
    },
  }
}
