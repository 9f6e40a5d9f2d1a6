import { foundSubsite } from './posting.ts'
import { startSite, type TestSite, type User } from './site.ts'

/** A site and some accounts on it, each under its name. */
export type Cast<Name extends string> = { readonly site: TestSite } & { readonly [N in Name]: User }

/** ann founds, bob writes, carol moderates what a test says, dave is a stranger, root an admin. */
export const five = ['ann', 'bob', 'carol', 'dave', 'root'] as const
export type Five = Cast<(typeof five)[number]>

/** New accounts on a site. */
export const joinSite = async <Name extends string>(site: TestSite, ...names: readonly Name[]): Promise<{ readonly [N in Name]: User }> => {
  const users = await Promise.all(names.map(async (name) => [name, await site.register(name)] as const))
  return Object.fromEntries(users) as { readonly [N in Name]: User }
}

let registered = 0
/** An account of which nothing is known yet, so that cases do not disturb one another. */
export const newcomer = (site: TestSite): Promise<User> => site.register(`newcomer${registered++}`)

/** Starts a new site with these accounts. */
export const startCast = async <Name extends string>(
  names: readonly Name[],
  options?: Parameters<typeof startSite>[0],
): Promise<Cast<Name>> => {
  const site = await startSite(options)
  return { site, ...(await joinSite(site, ...names)) }
}

/** A new site with ann, who has founded `tea`, with bob and perhaps others. */
export const startTea = async <Name extends string = never>(
  others: readonly Name[] = [],
  options?: Parameters<typeof startSite>[0],
): Promise<Cast<'ann' | 'bob' | Name>> => {
  const cast = await startCast<'ann' | 'bob' | Name>(['ann', 'bob', ...others], options)
  await foundSubsite(cast.ann, 'tea')
  return cast
}

/** A new site with these accounts and two default subsites, which root has founded. */
export const startWithDefaults = async <Name extends string>(names: readonly Name[]): Promise<Cast<'root' | Name>> => {
  const cast = await startCast<'root' | Name>(['root', ...names], { defaultSubsites: ['general', 'news'] })
  await foundSubsite(cast.root, 'general')
  await foundSubsite(cast.root, 'news')
  return cast
}
