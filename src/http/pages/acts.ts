import type { Body, Fields } from '../contract/incoming.ts'
import { permissionWords } from './permissions.ts'

/** The parameter of a form's address that names the method of the request which the form stands for. */
export const METHOD_FIELD = 'form_method'

export type ActMethod = 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Returns the address of a form that stands for a request by another method, or to an endpoint for tokens alone. */
export const actAddress = (path: string, method: ActMethod): string => `${path}${path.includes('?') ? '&' : '?'}${METHOD_FIELD}=${method}`

/** Returns the body that an endpoint takes, of the body of a form. */
type PageAct = (body: Body) => Body

const asSent: PageAct = (body) => body

/** Tells whether a field is one that every form has, beside those that a person fills in. */
const isOfEveryForm = (name: string): boolean => name === 'uh' || name === 'dest' || name.startsWith('form_')

/** The fields that a person fills in are the members of an object. */
const asJson: PageAct = ({ fields }) => ({
  fields,
  text: JSON.stringify(Object.fromEntries(Object.entries(fields).filter(([name]) => !isOfEveryForm(name)))),
})

/** The keys of a multi are the fields of a form. Its subsites are words in one field. */
const asMulti: PageAct = ({ fields, text }) => {
  const { display_name, description_md = '', visibility, subsites = '' }: Fields = fields
  const subreddits = subsites
    .split(/[\s,+]+/)
    .filter((name) => name !== '')
    .map((name) => ({ name }))
  return { fields: { ...fields, model: JSON.stringify({ display_name, description_md, visibility, subreddits }) }, text }
}

/** A reason that was typed goes before a rule that was chosen. */
const asReport: PageAct = ({ fields, text }) => ({
  fields: fields.other_reason?.trim() ? { ...fields, reason: 'other' } : fields,
  text,
})

/** Boxes such as `may.posts` are permissions. Without any, a moderator may do nothing. */
const asPermissions: PageAct = ({ fields, text }) => {
  const isOn = (part: string): boolean => fields[`may.${part}`] !== undefined
  const each = Object.keys(permissionWords).map((part) => `${isOn(part) ? '+' : '-'}${part}`)
  return { fields: { ...fields, permissions: isOn('all') ? '+all' : each.join(',') }, text }
}

/**
 * The endpoints that a form of a page can stand for: those that no form can call, since they take another method or JSON, or are for tokens
 * alone. The request runs as the session's account, through the same steps as any other.
 */
export const pageActs: Readonly<Record<string, PageAct>> = {
  'PATCH /api/v1/me/prefs': asJson,
  'DELETE /api/v1/me/sessions': asSent,
  'DELETE /api/v1/me/grants': asSent,
  'DELETE /api/v1/apps/{client_id}': asSent,
  'PUT /api/v1/me/friends/{username}': asJson,
  'POST /api/multi/{multipath}': asMulti,
  'PUT /api/multi/{multipath}': asMulti,
  'DELETE /api/multi/{multipath}': asSent,
  'POST /api/v1/gold/gild/{fullname}': asSent,
  'POST /api/v1/gold/give/{username}': asSent,
  'POST /api/v1/gold/grant/{username}': asSent,
  'POST /api/report': asReport,
  'POST [/s/{sub}]/api/friend': asPermissions,
  'POST [/s/{sub}]/api/setpermissions': asPermissions,
}
