import type { Answer, Caller } from './site.ts'

export const PREFS = '/api/v1/me/prefs'

export const patchPreferences = (who: Caller, json: unknown): Promise<Answer> => who.request('PATCH', PREFS, { json })

/** Changes preferences; returns all of them as they are now. */
export const prefer = async (who: Caller, json: object): Promise<Readonly<Record<string, unknown>>> => {
  const answer = await patchPreferences(who, json)
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.body as Readonly<Record<string, unknown>>
}
