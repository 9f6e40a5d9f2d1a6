import { registerHooks } from 'node:module'

// openapi-typescript prints with an API that the TypeScript of this project no longer has, so that another package stands in for it
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'typescript' && context.parentURL?.includes('/node_modules/openapi-typescript/')
      ? next(new URL('./classic-typescript.ts', import.meta.url).href, context)
      : next(specifier, context),
})

/** The types that `npx openapi-typescript` makes of an OpenAPI document. */
export const typesOf = async (document: string): Promise<string> => {
  const { astToString, default: openapiTS } = await import('openapi-typescript')
  return astToString(await openapiTS(document))
}
