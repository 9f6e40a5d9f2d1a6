/** `ruled out`: the interface, or the client itself, does not offer it, for the reason that stands beside it. */
const outcomes = ['ok', 'failed', 'ruled out'] as const
export type Result = { readonly outcome: (typeof outcomes)[number]; readonly call: string; readonly reason: string }

/** The results in what a program printed: lines of an outcome, a function and a reason, with tabs between them. Other lines are its own talk. */
export const resultsOf = (printed: string): readonly Result[] =>
  printed.split('\n').flatMap((line) => {
    const [outcome, call = '', reason = ''] = line.split('\t')
    const known = outcomes.find((one) => one === outcome)
    return known === undefined || call === '' ? [] : [{ outcome: known, call, reason }]
  })

const marks = { ok: '✔', failed: '✘', 'ruled out': '- [skip]' } as const

/** As AVA marks its tests, since the gate counts those marks. */
export const lineOf = (client: string, { outcome, call, reason }: Result): string =>
  `  ${marks[outcome]} ${client} › ${call}${reason === '' ? '' : `: ${reason}`}`

export type Tried = { readonly client: string; readonly version: string; readonly results: readonly Result[] }

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

const rowOf = ({ client, version, results }: Tried): string => {
  const working = results.filter(({ outcome }) => outcome === 'ok').map(({ call }) => call)
  const others = results.filter(({ outcome }) => outcome !== 'ok').map(({ call, reason }) => `${call}: ${reason}`)
  return `| ${client} | ${version} | ${working.length} of ${results.length}: ${cell(working.join(' · '))} | ${cell(others.join(' · '))} |`
}

const TABLE = /(<!-- clients: made by `npm run test:clients` -->\n)[\s\S]*?(\n<!-- end of clients -->)/
const HEAD = ['| client | version | works | does not, and why |', '|---|---|---|---|']

/** The page with the rows of those clients renewed, in the order of `names`; a client that was not tried keeps its row, one that is no longer named loses it. */
export const withRows = (page: string, names: readonly string[], tried: readonly Tried[]): string => {
  if (!TABLE.test(page)) throw new Error('the page has no place for the table')
  const kept = (name: string) => page.split('\n').find((line) => line.startsWith(`| ${name} | `))
  const rows = names.flatMap((name) => {
    const found = tried.find(({ client }) => client === name)
    const row = found === undefined ? kept(name) : rowOf(found)
    return row === undefined ? [] : [row]
  })
  return page.replace(TABLE, (_, begin: string, end: string) => `${begin}${[...HEAD, ...rows].join('\n')}${end}`)
}
