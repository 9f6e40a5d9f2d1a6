/** The API of the TypeScript compilers before the native one, as `openapi-typescript` imports it. */
export { ts as default } from '@ts-morph/common'
