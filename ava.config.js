// What `npx ava FILE` runs with; test/lanes/ has the lanes.
export { default } from './test/lanes/all.config.js'
