import { type RefusalCode, refusals } from '../src/http/contract/refusals.ts'
import { challengeErrors, type Entry, errorCatalogue, tokenErrors } from './error-catalogue.ts'

const fieldsInWords = ({ fields }: Entry): string => {
  if (fields === undefined) return 'none'
  return fields === 'any' ? 'the parameter that has the wrong value' : fields.map((name) => `\`${name}\``).join(', ')
}

const retryInWords = ({ retry }: Entry, code: RefusalCode): string => {
  if (retry !== undefined) return retry
  if (refusals[code].retryAfter !== undefined) return 'Yes, after the seconds in `Retry-After`.'
  return 'No: the same request gets the same answer.'
}

const statusInWords = (code: RefusalCode): string => {
  const { status, abort } = refusals[code]
  return abort ? String(status) : `${status}; from a form 200, with the code in \`json.errors\``
}

const section = (code: string, status: string, one: Entry, retry: string): string =>
  [
    `### ${code}`,
    one.cause,
    [`- Status: ${status}`, `- Field: ${fieldsInWords(one)}`, `- What to do: ${one.remedy}`, `- Retry: ${retry}`].join('\n'),
  ].join('\n\n')

const codes = Object.keys(errorCatalogue) as readonly RefusalCode[]

const sections = (): readonly string[] =>
  codes.toSorted().map((code) => section(code, statusInWords(code), errorCatalogue[code], retryInWords(errorCatalogue[code], code)))

const table = (head: string, rows: Readonly<Record<string, string>>): string =>
  [
    `| ${head} | what it means, and what to do |`,
    '|---|---|',
    ...Object.entries(rows).map(([name, words]) => `| \`${name}\` | ${words} |`),
  ].join('\n')

/** The catalogue as a page. */
export const errorsText = (note: string): string =>
  [
    '# Errors',
    note,
    'A refusal changes nothing. Each has a code in capital letters, which never changes its meaning; the texts beside it are for people and may change. Decide by the code.',
    '## Where the code stands',
    [
      '| kind of endpoint | status | where |',
      '|---|---|---|',
      '| forms (`+json` in the list of endpoints) | 200 | `json.errors`, a list of `[code, text, field]`; `json.ratelimit` has the seconds to wait |',
      '| writes that answer `{}` | 200 | the header field `X-Reason`; `USER_REQUIRED` in `json.errors`, too |',
      '| all others | 4xx, 5xx | `reason`; beside it `message`, `error` (the status), `explanation`, `documentation_url`, and `fields` with the name of the parameter at fault |',
    ].join('\n'),
    'Some refusals are answered with their status by forms, too: where the list below names one status only. `documentation_url` in an answer leads to the entry of its code on this page.',
    'A form that succeeds has an empty list: `{"json": {"errors": []}}`. So check `json.errors` of each form even though the status is 200.',
    '## Faults of the service',
    'Status 500 is `FAULT`, with an `id`. Nothing is known of the outcome: repeat a write with the same `Idempotency-Key`. If it stays, give the `id` to the operator; it stands in the log. [Retrying](retrying.md) says which requests can be repeated.',
    '## All codes',
    ...sections(),
    '## Errors of the token endpoint',
    '`/api/v1/access_token` answers a grant that failed with status 200 and `{"error": …}`; an unknown refresh token with 400, a wrong client id or secret with 401. These answers have no `documentation_url`, except the last two. [OAuth](oauth.md) has the flows.',
    table('`error`', tokenErrors),
    '## Errors in `WWW-Authenticate`',
    'Answers to a request without a token where one is needed, or with a wrong one, name the reason in this header field: `Bearer realm="Rostra", error="invalid_token"`.',
    table('`error`', challengeErrors),
  ].join('\n\n')
