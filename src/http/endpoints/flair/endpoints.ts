import type { AnyEndpoint } from '../../contract/endpoint.ts'
import { chosenFlair } from './choice.ts'
import { flairCsv } from './csv.ts'
import { flairList } from './list.ts'
import { moderatedFlair } from './moderators.ts'
import { flairTemplates } from './templates.ts'

export const flairEndpoints: readonly AnyEndpoint[] = [...moderatedFlair, flairCsv, flairList, ...flairTemplates, ...chosenFlair]
