import config from './all.config.js'

export default { ...config, files: ['test/pages/*.test.ts'], timeout: '10m', concurrency: 2 }
