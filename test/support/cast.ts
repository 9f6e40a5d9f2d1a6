import { found } from './posting.ts'
import { startSite, type TestSite, type User } from './site.ts'

/** A site and some accounts on it, each under its name. */
export type Cast<Name extends string> = { readonly site: TestSite } & { readonly [N in Name]: User }

/** ann founds, bob writes, carol moderates what a test says, dave is a stranger, root an admin. */
export const five = ['ann', 'bob', 'carol', 'dave', 'root'] as const
export type Five = Cast<(typeof five)[number]>

/** A new site with these accounts. */
export const startCast = async <Name extends string>(
  names: readonly Name[],
  options?: Parameters<typeof startSite>[0],
): Promise<Cast<Name>> => {
  const site = await startSite(options)
  const users = await Promise.all(names.map(async (name) => [name, await site.register(name)] as const))
  return { site, ...(Object.fromEntries(users) as { readonly [N in Name]: User }) }
}

/** A new site with ann, who has founded `tea`, and bob. */
export const startTea = async (): Promise<Cast<'ann' | 'bob'>> => {
  const cast = await startCast(['ann', 'bob'])
  await found(cast.ann, 'tea')
  return cast
}
