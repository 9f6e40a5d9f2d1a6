import { variables } from '../src/config-variables.ts'

/** The variables of docker-compose.yml beside those of the service. */
const composeVariables = {
  PUBLISH: ['127.0.0.1:8080', 'The address and port of this machine that the proxy is reached at; another one needs PUBLIC_URL, too.'],
  ROSTRA_VERSION: ['local', 'The tag of the image.'],
  EVENT_STORE_MEMORY: ['2g', 'The memory that the event store may use.'],
  DOCUMENTS_MEMORY: ['2g', 'The memory that the document store may use.'],
} as const

/** The variables that docker-compose.yml, the image and the secret's volume set for their processes. */
export const settledByCompose: readonly string[] = [
  ...['HOST', 'PORT', 'WORKER_PORT', 'EVENT_STORE_URL', 'DOCUMENT_STORE_URL', 'PROJECTIONS', 'SESSION_SECRET', 'HISTORY_KEY_FILE'],
  ...['HISTORY_HEAD_FILE', 'DUTIES', 'READ_ONLY', 'READ_ONLY_AS', 'READ_ONLY_AS_ANYWHERE'],
]

const entry = (name: string, value: string, lines: readonly string[]): string =>
  [...lines.map((line) => `# ${line.replaceAll('`', '')}`), `#${name}=${value}`].join('\n')

const serviceEntry = ([name, { accepted, fallback, about }]: readonly [string, (typeof variables)[string]]): string => {
  const isValue = !/\s|HOST/.test(fallback)
  const settled = settledByCompose.includes(name) ? ' Not with docker compose, which decides it.' : ''
  return entry(name, isValue ? fallback : '', [
    `${about}${settled}`,
    `Accepted: ${accepted}.${isValue && fallback !== '' ? '' : ` Default: ${fallback || 'none'}.`}`,
  ])
}

/** Every setting with its default, to be copied to `.env`. */
export const envExample = (): string =>
  [
    '# Made by `npm run generate`. Copy this file to .env, and take the # from what you set there, in single quotes if it has other signs than\n# letters, digits, points, commas, colons and slashes. docker compose reads .env by itself; before npm start and the other commands,\n# in the same shell: set -a; . ./.env; set +a',
    ...Object.entries(variables).map(serviceEntry),
    '# Only for docker compose, whose own defaults are captchas and limits that are on, and one trusted proxy, its own:',
    ...Object.entries(composeVariables).map(([name, [value, about]]) => entry(name, value, [about])),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n')
