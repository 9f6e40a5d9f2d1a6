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

const toOneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, ' ')
const marks = { ok: '✔', failed: '✘', 'ruled out': '- [skip]' } as const

/** Marks results as AVA marks tests, since the gate counts those marks. The gate repeats only the first line of a failure, so a reason has one. */
export const lineOf = (client: string, { outcome, call, reason }: Result): string =>
  `  ${marks[outcome]} ${client} › ${call}${reason === '' ? '' : `: ${toOneLine(reason)}`}`

export type Tried = { readonly client: string; readonly version: string; readonly results: readonly Result[] }

const summary = /^### (.+)\n\nVersion (.+): (\d+) of (\d+) work\.$/m

const sectionOf = ({ client, version, results }: Tried): string => {
  const working = results.filter(({ outcome }) => outcome === 'ok').map(({ call }) => call)
  const others = results.filter(({ outcome }) => outcome !== 'ok').map(({ call, reason }) => `- ${call}: ${toOneLine(reason)}`)
  return [
    `### ${client}`,
    `Version ${version}: ${working.length} of ${results.length} work.`,
    `Works: ${working.join(' · ')}`,
    ...(others.length > 0 ? [`Does not, and why:`, others.join('\n')] : []),
  ].join('\n\n')
}

const anchorOf = (heading: string): string => heading.toLowerCase().replaceAll(' ', '-')

/** A line of the table for each section. */
const rowOf = (section: string): string => {
  const [, client = '', version, working, all] = summary.exec(section) ?? []
  return `| [${client}](#${anchorOf(client)}) | ${version} | ${working} | ${Number(all) - Number(working)} |`
}

/** The two tables of the page. */
export type Table = 'clients' | 'programs'

const resultsIn = (table: Table): RegExp =>
  new RegExp(`(<!-- ${table}: made by \`npm run test:${table}\` -->\\n)([\\s\\S]*?)(\\n<!-- end of ${table} -->)`)
const headOf = (table: Table): readonly string[] => [`| ${table.slice(0, -1)} | version | works | does not |`, '|---|---|---|---|']

/** The page with the sections of those clients renewed, in the order of `names`; a client that was not tried keeps its section, one that is no longer named loses it. */
export const withSections = (page: string, table: Table, names: readonly string[], tried: readonly Tried[]): string => {
  const results = resultsIn(table)
  if (!results.test(page)) throw new Error('the page has no place for the results')
  const known = results.exec(page)?.[2]?.split(/^(?=### )/m) ?? []
  const sections = names.flatMap((name) => {
    const found = tried.find(({ client }) => client === name)
    const section = found === undefined ? known.find((one) => one.startsWith(`### ${name}\n`)) : sectionOf(found)
    return section === undefined ? [] : [section.trim()]
  })
  const rows = [...headOf(table), ...sections.map(rowOf)].join('\n')
  return page.replace(results, (_, begin: string, __, end: string) => `${begin}${[rows, ...sections].join('\n\n')}${end}`)
}
