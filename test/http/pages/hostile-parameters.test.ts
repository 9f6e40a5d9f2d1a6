import test from 'ava'
import { type AnyEndpoint, toEndpointName } from '../../../src/http/contract/endpoint.ts'
import { endpoints } from '../../../src/http/endpoints/all.ts'
import { browserHeaders, htmlProblems, isPage } from '../../support/browser-requests.ts'
import { startTea } from '../../support/cast.ts'
import { FULL } from '../../support/full.ts'
import { hostileRequests, IN_ADDRESS, textsToSend } from '../../support/hostile-requests.ts'
import { pageAddresses } from '../../support/page-rows.ts'
import { say, submit } from '../../support/posting.ts'
import { type Answer, type Caller, callerAt } from '../../support/site.ts'

const { site, ann } = await startTea([], { logLevel: 'silent' })
const link = await submit(ann, 'tea')
const comment = await say(ann, link)
const { addressOf, fieldsOf } = hostileRequests({ link, comment })
test.after.always(() => site.stop())

/** The statuses of a form that succeeded, or that its endpoint itself leads on. */
const isLedOn = ({ status, headers }: Answer): boolean => [302, 303].includes(status) && headers.has('location')

type Asking = { readonly browser: Caller; readonly client: Caller; readonly modhash: string }

/** A session may end by a request, so that each endpoint has its own. */
const beginSession = async (): Promise<Asking> => {
  const { cookie, modhash } = await ann.session()
  const session = { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' }
  return {
    browser: callerAt(site.url, { ...browserHeaders, ...session }),
    client: callerAt(site.url, { ...session, Accept: 'application/json' }),
    modhash,
  }
}

/** Returns the departures of a browser's answer: a fault, another status than that of the JSON, an invalid page. */
const departures = async (
  { browser, client, modhash }: Asking,
  endpoint: AnyEndpoint,
  name: string,
  text: string,
): Promise<readonly string[]> => {
  const address = addressOf(endpoint, { [name]: text })
  const isGet = endpoint.method === 'GET'
  const sent = isGet ? `${address}?${name}=${encodeURIComponent(text.slice(0, IN_ADDRESS))}` : address
  const answer = isGet
    ? await browser.get(sent)
    : await browser.request(endpoint.method, sent, {
        form: { ...fieldsOf(endpoint, { [name]: text }), uh: modhash, form_page: '/s/tea/submit' },
      })
  const { status } = answer
  const plain = isGet ? (await client.get(sent)).status : undefined
  const isShown = isPage(answer)
  const mustShow = isGet ? toEndpointName(endpoint) in pageAddresses : endpoint.method === 'POST' && !isLedOn(answer)
  return [
    ...(status >= 500 ? [`${status} ${answer.text.slice(0, 200)}`] : []),
    ...(plain === undefined || plain === status ? [] : [`${status}, and ${plain} as JSON`]),
    ...(mustShow && status >= 400 && !isShown ? [`${status} is no page: ${answer.headers.get('content-type')}`] : []),
    ...(isShown ? await htmlProblems(answer.text) : []),
  ]
}

for (const endpoint of endpoints)
  if (Object.keys(endpoint.params).length > 0)
    test.serial(`${endpoint.method} ${endpoint.path}: a browser gets a valid page, or the status of the JSON, for any input`, async (t) => {
      const asking = await beginSession()
      for (const name of Object.keys(endpoint.params))
        for (const [what, text] of textsToSend(IN_ADDRESS).slice(0, FULL ? undefined : 1))
          t.deepEqual(await departures(asking, endpoint, name, text), [], `${name}, ${what}`)
    })
