import { threadListing, threadTitle } from './synthetic-thread.ts'

/** A logged-in account, for the measures that need one. */
export type Session = { readonly headers: Readonly<Record<string, string>> }

export const register = async (url: string, user: string): Promise<Session> => {
  const passwd = `bench-${user}`
  const body = new URLSearchParams({ api_type: 'json', user, passwd, passwd2: passwd })
  const response = await fetch(`${url}/api/register`, { method: 'POST', body })
  const { json } = (await response.json()) as { json: { errors: readonly unknown[]; data?: { modhash: string } } }
  const cookie = response.headers.get('set-cookie')?.split(';')[0]
  if (!json.data || cookie === undefined) throw new Error(`${user} was not registered: ${JSON.stringify(json.errors)}`)
  return { headers: { cookie, 'x-modhash': json.data.modhash } }
}

type ListedLink = { readonly name: string; readonly title: string; readonly author: string; readonly locked: boolean }

type Listing<Thing> = { readonly children: readonly { readonly data: Thing }[]; readonly after: string | null }

export const fetchListing = async <Thing = ListedLink>(url: string): Promise<Listing<Thing>> =>
  ((await (await fetch(url)).json()) as { readonly data: Listing<Thing> }).data

/** The newest links that anyone may comment on: a refused comment is answered too, and costs less. */
export const newestLinks = async (url: string, count: number): Promise<readonly ListedLink[]> => {
  const links: ListedLink[] = []
  for (let after: string | null = ''; after !== null && links.length < count; ) {
    const page: Listing<ListedLink> = await fetchListing(`${url}/s/all/new?limit=100&after=${after}`)
    links.push(...page.children.map(({ data }) => data).filter(({ locked }) => !locked))
    after = page.after
  }
  return links.slice(0, count)
}

/** Fullnames of the newest links. */
export const newest = async (url: string, count: number): Promise<readonly string[]> =>
  (await newestLinks(url, count)).map(({ name }) => name)

/** A link like most, by which measures choose an author and words: the newest are the roots of threads. */
export const usualLink = async (url: string): Promise<ListedLink> => {
  const link = (await fetchListing(`${url}/s/all/new?limit=50`)).children.at(-1)
  if (!link) throw new Error('there are no links')
  return link.data
}

/** Returns the path of the thread of so many comments. */
export const threadPath = async (url: string, size: number): Promise<string> => {
  const { children } = await fetchListing(`${url}${threadListing}`)
  const thread = children.find(({ data }) => data.title === threadTitle(size))
  if (!thread) throw new Error(`there is no thread of ${size} comments`)
  return `/comments/${thread.data.name.slice(3)}`
}
