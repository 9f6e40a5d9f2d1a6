import config from './ava.config.js'
import { processTests } from './test/support/process-tests.ts'

export default { ...config, files: [...processTests], timeout: '5m' }
