import config from './ava.config.js'
import { slowTests } from './test/support/slow-tests.ts'

export default { ...config, files: [...config.files, ...slowTests.map((file) => `!${file}`)] }
