/*
 * Points snoowrap at a Rostra service. Keep rostra-words.mjs, which knows the names, beside this file.
 *
 *     import snoowrap from 'snoowrap'
 *     import { rostra } from './snoowrap-rostra.mjs'
 *     const Rostra = rostra(snoowrap, 'http://127.0.0.1:8080')
 *     const site = new Rostra({ userAgent: 'try', clientId: '…', clientSecret: '…', username: 'ann', password: '…' })
 *     for (const link of await site.getSubreddit('tea').getHot()) console.log(link.title, link.score)
 */
import { parameterToService, pathToService, toClient } from './rostra-words.mjs'

/** `editSettings` adds what is private to snoowrap, with the password, to what it sends: such fields stay here. */
const renamed = (fields) =>
  fields &&
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (name.startsWith('_') ? [] : [[name, parameterToService(name, value)]])),
  )

/** The class, with all its own functions, for one service. */
export const rostra = (snoowrap, url) => {
  const base = url.replace(/\/+$/, '')
  /** A caller may ask for hidden comments once at a time: the next request waits for the one before. */
  let last = Promise.resolve()
  const inTurn = (send) => {
    const turn = last.then(send)
    last = turn.then(
      () => {},
      () => {},
    )
    return turn
  }
  return class Rostra extends snoowrap {
    /** snoowrap builds `https://www.{endpointDomain}/…`, which no address of a service need have. */
    static getAuthUrl(options) {
      const page = new URL(super.getAuthUrl(options))
      return `${base}${page.pathname}${page.search}`
    }

    rawRequest(options) {
      const { uri = '', qs, form, resolveWithFullResponse, transform } = options
      const asked = transform ?? ((body, response) => (resolveWithFullResponse ? response : body))
      const sent = {
        ...options,
        // a listing continues at the whole address of its first page
        baseUrl: undefined,
        uri:
          base +
          pathToService(
            `/${uri
              .replace(base, '')
              .replace(/^https:\/\/\w+\.reddit\.com/, '')
              .replace(/^\/+/, '')}`,
          ),
        qs: renamed(qs),
        form: renamed(form),
        transform: (body, response) => {
          response.body = toClient(body, { own: base, path: uri.replace(base, '') })
          return asked(response.body, response)
        },
      }
      const send = () => super.rawRequest(sent)
      return /(^|\/)api\/morechildren/.test(uri) ? inTurn(send) : send()
    }
  }
}
