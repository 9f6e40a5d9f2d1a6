import config from './ava.config.js'
import { processTests } from './test/support/process-tests.ts'

export default { ...config, files: [...config.files, ...processTests.map((file) => `!${file}`)] }
