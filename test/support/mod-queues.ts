import { names } from './posting.ts'
import type { Answer, Caller } from './site.ts'

export const report = (who: Caller, thing_id: string, fields: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  who.post('/api/report', { thing_id, api_type: 'json', ...fields })

/** Returns the fullnames of what waits in a queue of a subsite. */
export const queue = async (who: Caller, name: string, location: string, query = ''): Promise<readonly string[]> =>
  names(await who.get(`/s/${name}/about/${location}${query}`))
