import type { AnyEndpoint } from '../../contract/endpoint.ts'
import { flairCsv } from './csv.ts'
import { flairList } from './list.ts'
import { chosenFlair } from './select.ts'
import { moderatedFlair } from './set-and-delete.ts'
import { flairTemplates } from './templates.ts'

export const flairEndpoints: readonly AnyEndpoint[] = [...moderatedFlair, flairCsv, flairList, ...flairTemplates, ...chosenFlair]
