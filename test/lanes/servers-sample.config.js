import config from './all.config.js'
import { onServers, tooLongForTheSample } from '../support/on-servers.ts'

export default {
  ...config,
  files: Object.values(onServers)
    .flat()
    .map((name) => `test/http/${name}.test.ts`),
  match: tooLongForTheSample.map((title) => `!${title}`),
  environmentVariables: { SITE_SHAPE: 'servers', SERVERS_SAMPLE: '1' },
  serial: true,
  timeout: '5m',
}
