import { type Caller, callerAt, startSite, type TestSite } from './site.ts'

/** Starts a site behind one proxy, which names the address of each request, with Ann and bob. */
export const startBehindProxy = async () => {
  const site = await startSite({ trustProxy: 1 })
  return { site, ann: await site.register('Ann'), bob: await site.register('bob') }
}

export const login = (caller: Caller, user: string, passwd: string, more = {}) =>
  caller.post('/api/login', { user, passwd, api_type: 'json', ...more })

export const register = (caller: Caller, user: string, more = {}) =>
  caller.post('/api/register', { user, passwd: 'correct horse', passwd2: 'correct horse', api_type: 'json', ...more })

/** Somebody at an address of their own. */
export const callerFrom = ({ url }: Pick<TestSite, 'url'>, n: number): Caller => callerAt(url, { 'X-Forwarded-For': `198.51.100.${n}` })
