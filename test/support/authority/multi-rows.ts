import type { User } from '../site.ts'
import { accountsOf, anyUser } from './roles.ts'
import type { Fields, Row, Rows } from './row.ts'
import { houseOf, nextNumber } from './stage.ts'
import type { Make } from './things.ts'

/** A path at which the author has no multi yet; and one with a multi of tea. */
const multiPath = async () => `user/author/m/of${nextNumber()}`
const multiOf =
  (visibility: string): Make =>
  async ({ author }) => {
    const path = await multiPath()
    const model = JSON.stringify({ subreddits: [{ name: 'tea' }], visibility })
    const { status, text } = await author.request('POST', `/api/multi/${path}`, { form: { model } })
    if (status !== 201) throw new Error(text)
    return path
  }
const multi = multiOf('public')
/** Makes it beside another subsite that can be added. */
const besideStudy: Make = async (stage, self) => {
  await houseOf(stage, 'study')
  return multi(stage, self)
}
const multiForm = (multipath: string): Fields => ({ multipath, srname: 'tea' })
const model = (value: Readonly<Record<string, unknown>>) => () => ({ model: JSON.stringify(value) })
const copyForm = (from: string, { name }: User) => ({ from, to: `user/${name}/m/copy${nextNumber()}`, display_name: 'copy' })
const owned = { by: accountsOf('author'), records: 'MultiEdited', on: multi, path: multiForm } as const satisfies Row

/** Multis: everybody makes their own and nobody changes another's. */
export const multiRows: Rows = {
  'POST /api/multi/{multipath}': { ...owned, records: 'MultiCreated', on: multiPath, form: model({ subreddits: [] }) },
  'PUT /api/multi/{multipath}': { ...owned, form: model({ subreddits: [] }) },
  'DELETE /api/multi/{multipath}': { ...owned, records: 'MultiDeleted' },
  'PUT /api/multi/{multipath}/description': { ...owned, form: model({ body_md: 'all about tea' }) },
  'PUT /api/multi/{multipath}/s/{srname}': {
    ...owned,
    on: besideStudy,
    path: (multipath) => ({ multipath, srname: 'study' }),
    form: model({ name: 'study' }),
  },
  'DELETE /api/multi/{multipath}/s/{srname}': owned,
  'POST /api/multi/copy': [
    { by: anyUser, records: 'MultiCreated', on: multi, form: copyForm },
    { what: 'a private one', by: accountsOf('author', 'root'), records: 'MultiCreated', on: multiOf('private'), form: copyForm },
  ],
  'POST /api/multi/rename': {
    ...owned,
    records: 'MultiCreated',
    form: (from) => ({ from, to: `${from}b`, display_name: 'renamed' }),
  },
}
