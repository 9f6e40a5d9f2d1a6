import type { AnyEndpoint } from '../../src/http/contract/endpoint.ts'
import { routesOf } from '../../src/http/contract/router.ts'
import type { Answer, Caller } from './site.ts'

/** One request to an endpoint. */
export type Probe = {
  readonly endpoint: AnyEndpoint
  readonly method: string
  readonly path: string
  readonly fields: Readonly<Record<string, string>>
}

/** Values for parameters and variables by their names; `known`: only for names by which something can be named. */
export type Leads = {
  readonly leads: (name: string) => readonly string[]
  readonly known: (name: string) => readonly string[] | undefined
}

const fillPath = (path: string, chosen: Readonly<Record<string, string>>) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(chosen[name] ?? 'x').replaceAll('%2F', name.endsWith('path') || name === 'page' ? '/' : '%2F'),
  )

type Choices = readonly (readonly [string, readonly string[]])[]
const product = (choices: Choices): readonly Readonly<Record<string, string>>[] =>
  choices.reduce<readonly Readonly<Record<string, string>>[]>(
    (made, [name, values]) => made.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{}],
  )

/**
 * Returns the fields sent to an address: none; each parameter that can name something, alone, since another one may keep it from mattering;
 * and all parameters at once, of the same things and of different ones.
 */
const fieldsFor = (asked: readonly string[], { known, leads }: Leads): readonly Readonly<Record<string, string>>[] => {
  if (asked.length === 0) return [{}]
  const most = Math.max(...asked.map((name) => leads(name).length))
  const alone = asked.length < 2 ? [] : asked.flatMap((name) => (known(name) ?? []).map((value) => ({ [name]: value })))
  const together = (shift: number) =>
    Array.from({ length: most }, (_, n) =>
      Object.fromEntries(asked.map((name, index) => [name, leads(name)[(n + shift * index) % leads(name).length] ?? ''])),
    )
  return [{}, ...alone, ...together(0), ...(asked.length > 1 ? together(1) : [])]
}

/** The places that name the subsite of an optional site part. In the further places only the bare address is asked for. */
export type Places = { readonly usual: readonly string[]; readonly further: readonly string[] }

/**
 * Returns the requests to try of an endpoint: in each place and without one, with every value that may reach the subsite by each parameter.
 */
export const probesOf = (endpoint: AnyEndpoint, leads: Leads, { usual, further }: Places): readonly Probe[] =>
  routesOf({ ...endpoint, aliases: [] }).flatMap(({ path, site: part, methods, fixed }) => {
    const places = part === 'never' ? [''] : part === 'always' ? leads.leads('sub').map((sub) => `/s/${sub}`) : ['', ...usual]
    const variables = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, leads.leads(name)] as const)
    const probedParams = Object.keys(endpoint.params).filter((name) => !(name in fixed) && !path.includes(`{${name}}`))
    const probe = (place: string, chosen: Readonly<Record<string, string>>, fields: Readonly<Record<string, string>>) => {
      const [before = '', query = ''] = place.split('?')
      const address = `${before}${fillPath(path, chosen)}`
      return methods.map((method) => ({
        endpoint,
        method,
        path: address,
        fields: { ...Object.fromEntries(new URLSearchParams(query)), ...fields },
      }))
    }
    const chosen = product(variables)
    return [
      ...places.flatMap((place) => chosen.flatMap((one) => fieldsFor(probedParams, leads).flatMap((fields) => probe(place, one, fields)))),
      ...(part === 'optional' ? further.flatMap((place) => probe(place, chosen[0] ?? {}, {})) : []),
    ]
  })

export const send = async (caller: Caller, { method, path, fields }: Probe, suffix = ''): Promise<Answer> => {
  const query = new URLSearchParams(Object.entries({ limit: '100', show: 'all', ...fields }).filter(([, value]) => value !== '')).toString()
  return method === 'GET' ? caller.get(`${path}${suffix}?${query}`) : caller.request(method, path, { form: fields })
}
