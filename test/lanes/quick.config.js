import config from './all.config.js'
import { slowTests } from '../support/slow-tests.ts'

export default { ...config, files: [...config.files, '!test/pages/*.test.ts', ...slowTests.map((file) => `!${file}`)] }
