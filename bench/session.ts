/** Somebody who is logged in, for the measures that need one. */
export type Session = { readonly headers: Readonly<Record<string, string>> }

const post = async (url: string, form: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>>) => {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams({ ...form, api_type: 'json' }), headers })
  const body = (await response.json()) as {
    readonly json?: { readonly errors: readonly unknown[]; readonly data?: Record<string, string> }
  }
  if (!response.ok || (body.json?.errors.length ?? 0) > 0) throw new Error(`${url} answered ${response.status}: ${JSON.stringify(body)}`)
  return { response, data: body.json?.data ?? {} }
}

export const register = async (url: string, name: string): Promise<Session> => {
  const passwd = `bench-${name}`
  const { response, data } = await post(`${url}/api/register`, { user: name, passwd, passwd2: passwd }, {})
  const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? ''
  return { headers: { cookie, 'x-modhash': data.modhash ?? '' } }
}

/** Fullnames of the newest links. */
export const newest = async (url: string, count: number): Promise<readonly string[]> => {
  const names: string[] = []
  for (let after = ''; names.length < count; ) {
    const response = await fetch(`${url}/s/all/new?limit=100&after=${after}`)
    const { data } = (await response.json()) as { data: { children: readonly { data: { name: string } }[]; after: string | null } }
    names.push(...data.children.map((child) => child.data.name))
    if (data.after === null) break
    after = data.after
  }
  return names.slice(0, count)
}

export const createSubsite = async (url: string, { headers }: Session, name: string): Promise<void> => {
  await post(`${url}/api/site_admin`, { name, title: name }, headers)
}
