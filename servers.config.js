import config from './ava.config.js'
import { onServers } from './test/support/on-servers.ts'

export default {
  ...config,
  files: Object.values(onServers)
    .flat()
    .map((name) => `test/http/${name}.test.ts`),
  environmentVariables: { SITE_SHAPE: 'servers' },
  serial: true,
  timeout: '5m',
}
