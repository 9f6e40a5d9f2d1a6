import { type Caller, callerAt, type TestSite } from './site.ts'

export const login = (caller: Caller, user: string, passwd: string, more = {}) =>
  caller.post('/api/login', { user, passwd, api_type: 'json', ...more })

export const register = (caller: Caller, user: string, more = {}) =>
  caller.post('/api/register', { user, passwd: 'correct horse', passwd2: 'correct horse', api_type: 'json', ...more })

/** Somebody at an address of their own. */
export const from = ({ url }: Pick<TestSite, 'url'>, n: number): Caller => callerAt(url, { 'X-Forwarded-For': `198.51.100.${n}` })
