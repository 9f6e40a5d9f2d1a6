import config from './all.config.js'
import { slowTests } from '../support/slow-tests.ts'

export default { ...config, files: [...slowTests], timeout: '5m' }
