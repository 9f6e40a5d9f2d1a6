import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { loginSession } from '../support/service-process.ts'
import { callerAt } from '../support/site.ts'

/** Opens the authorization page of a service as an account, and presses Allow. */
const allow = async (site: string, name: string, page: URL): Promise<string> => {
  const session = await loginSession(callerAt(site), name)
  const person = callerAt(page.origin, session.headers)
  const shown = await person.get(`${page.pathname}${page.search}`)
  if (shown.status !== 200) throw new Error(`the page is ${shown.status} ${shown.text}`)
  const pressed = await person.post('/api/v1/authorize', { ...Object.fromEntries(page.searchParams), authorize: 'Allow' })
  const location = pressed.headers.get('location')
  if (location === null) throw new Error(`Allow is ${pressed.status} ${pressed.text}`)
  return location
}

/** Stands for the person at the browser. */
export const startBrowser = async (site: string) => {
  const server = createServer(async (request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://127.0.0.1')
    try {
      response.end(await allow(site, searchParams.get('as') ?? '', new URL(searchParams.get('url') ?? '')))
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, stop: () => server.close() }
}
