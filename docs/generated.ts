import { readFileSync } from 'node:fs'
import { variables } from '../src/config-variables.ts'
import { type Preference, preferenceNames, preferenceTable } from '../src/domain/preferences.ts'
import { type AnyEndpoint, toEndpointName } from '../src/http/contract/endpoint.ts'
import { sections } from '../src/http/contract/sections.ts'
import { endpoints } from '../src/http/endpoints/all.ts'
import { curlOf, variablesInCommands } from '../src/http/openapi/curl-commands.ts'
import { openApiOf } from '../src/http/openapi/document.ts'
import { rules } from '../src/http/openapi/general-rules.ts'
import { completeness } from '../test/support/interface-table.ts'
import { declaredIn } from './declared-in.ts'
import { envExample } from './env-example.ts'
import { errorsText } from './errors-page.ts'
import { eventsText } from './events-page.ts'
import { limitsText } from './limits-page.ts'
import { wireTypes } from './wire-types.ts'
import { wrapProse } from './wrap-prose.ts'

const note = 'Made by `npm run generate` from the code; changes belong there.'

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

const paramsOf = ({ params }: AnyEndpoint): readonly string[] =>
  Object.entries(params).map(([name, { required, description, schema }]) => {
    const { default: value, enum: values, maxLength, minimum, maximum } = schema
    const facts = [
      required ? 'required' : undefined,
      Array.isArray(values) ? values.map((one) => `\`${String(one)}\``).join(', ') : undefined,
      maxLength === undefined ? undefined : `at most ${String(maxLength)} characters`,
      minimum === undefined && maximum === undefined ? undefined : `${String(minimum ?? '')}..${String(maximum ?? '')}`,
      value === undefined ? undefined : `default \`${String(value)}\``,
      description === '' ? (schema.description as string | undefined) : description,
    ].filter((fact) => fact !== undefined && fact !== '')
    return `- \`${name}\`${facts.length > 0 ? ': ' : ''}${facts.join('; ')}`
  })

/** Returns the scope as text: `any`, a name, or that it depends on the parameters. */
const scopeOf = ({ scope }: AnyEndpoint): string => (typeof scope === 'string' ? scope : 'depends on the parameters')

/** Returns the marks of the specification's table. */
const marksOf = ({ json, listing, rss, modhash, method, login }: AnyEndpoint): readonly string[] => [
  ...(login === 'anyone' ? [] : [login === 'token' || login === 'session' ? login : 'login']),
  ...((modhash ?? method !== 'GET') ? ['modhash'] : []),
  ...(json ? ['+json'] : []),
  ...(listing ? [`listing (at most ${listing.max})`] : []),
  ...(rss ? ['rss'] : []),
]

const endpointText = (endpoint: AnyEndpoint): string => {
  const { method, path, summary, notes, otherPaths, aliases, alsoMethods, values } = endpoint
  const also = [
    ...(alsoMethods ?? []).map((other) => `by ${other}`),
    ...(otherPaths ?? []).map((other) => `at \`${other}\``),
    ...(aliases ?? []).map((alias) => `at \`${alias}\` (an older spelling)`),
  ]
  const file = declaredIn.get(toEndpointName(endpoint)) ?? ''
  return [
    `### ${method} \`${path}\``,
    `${summary}${notes === undefined ? '' : ` ${notes}`}`,
    `Scope \`${scopeOf(endpoint)}\`${marksOf(endpoint)
      .map((mark) => `, ${mark}`)
      .join('')}.${also.length > 0 ? ` Also ${also.join(', ')}.` : ''}`,
    `Declared in [${file}](../${file}).`,
    ...Object.entries(values ?? {})
      .filter(([name]) => !(name in endpoint.params))
      .map(([name, choices]) => `- \`${name}\`: ${choices.map((one) => `\`${one}\``).join(', ')}`),
    paramsOf(endpoint).join('\n'),
    `\`\`\`\n${curlOf(endpoint)}\n\`\`\``,
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

const commandsText = [
  'Below each endpoint stands a command that it answers. The commands use these variables of the shell:',
  Object.entries(variablesInCommands)
    .map(([name, words]) => `- \`${name}\`: ${words}`)
    .join('\n'),
].join('\n\n')

const endpointsText = (): string => {
  const bodies = Object.entries(sections).map(([section, about]) =>
    [`## ${section}`, about, ...endpoints.filter((endpoint) => endpoint.section === section).map(endpointText)].join('\n\n'),
  )
  return `# Endpoints\n\n${note}\n\n${rules.map((rule) => `- ${rule}`).join('\n')}\n\n${commandsText}\n\n${bodies.join('\n\n')}\n`
}

const configurationText = (): string =>
  [
    '# Configuration',
    note,
    'By environment variables, read once at the start. One that is empty counts as not set; one that is wrong stops the start with a line that names it.',
    [
      '| name | accepted | when not set | |',
      '|---|---|---|---|',
      ...Object.entries(variables).map(
        ([name, { accepted, fallback, about }]) => `| \`${name}\` | ${cell(accepted)} | ${fallback || 'none'} | ${cell(about)} |`,
      ),
    ].join('\n'),
  ].join('\n\n')

const acceptedAs = (preference: Preference): string => {
  switch (preference.kind) {
    case 'flag':
      return 'true or false'
    case 'integer':
      return `${preference.min}..${preference.max}`
    case 'choice':
      return preference.values.map((value) => `\`${value}\``).join(', ')
    case 'language':
      return 'a language tag such as `en_US`'
    case 'subsite':
      return 'the name of a subsite, or null'
    case 'unused':
      return 'the name of a subsite; always null'
  }
}

const preferencesText = (): string =>
  [
    '# Preferences',
    note,
    'What `GET` and `PATCH /api/v1/me/prefs` show and change. Those without an effect are stored and shown for clients to act on: this service sends no mail and renders no pages.',
    [
      '| name | accepted | of a new account | effect |',
      '|---|---|---|---|',
      ...preferenceNames.map((name) => {
        const preference: Preference = preferenceTable[name]
        return `| \`${name}\` | ${cell(acceptedAs(preference))} | \`${String(preference.initial)}\` | ${cell(preference.effect ?? 'stored only')} |`
      }),
    ].join('\n'),
  ].join('\n\n')

/** Says how many rows of the specification's table of endpoints are served, and which sections have others. */
const completenessText = (): string => {
  const sections = completeness()
  const rows = sections.reduce((total, section) => total + section.rows, 0)
  const partly = sections.filter(({ rows, complete }) => complete < rows).map(({ section }) => section)
  return partly.length === 0
    ? `All ${rows} rows of its table are served.`
    : `Its table has ${rows} rows; not all are served of ${partly.join(', ')}.`
}

const COMPLETENESS = /(<!-- sections: made by `npm run generate` -->\n)[\s\S]*?(\n<!-- end of sections -->)/

const readmeText = (): string =>
  readFileSync(new URL('../README.md', import.meta.url), 'utf8').replace(
    COMPLETENESS,
    (_, begin: string, end: string) => `${begin}${completenessText()}${end}`,
  )

/** The generated documents, by address from `docs/`; of the README one sentence is generated. */
export const generateDocuments = async (): Promise<ReadonlyMap<string, string>> =>
  new Map([
    ['configuration.md', wrapProse(`${configurationText()}\n`)],
    ['endpoints.md', wrapProse(endpointsText())],
    ['events.md', wrapProse(`${eventsText(note)}\n`)],
    ['guide/errors.md', wrapProse(`${errorsText(note)}\n`)],
    ['guide/limits.md', wrapProse(`${limitsText(note)}\n`)],
    ['preferences.md', wrapProse(`${preferencesText()}\n`)],
    ['openapi.json', `${JSON.stringify(openApiOf(endpoints), null, 1)}\n`],
    ['../.env.example', envExample()],
    ['../README.md', wrapProse(readmeText())],
    ['../src/http/pages/wire-types.ts', await wireTypes()],
  ])
