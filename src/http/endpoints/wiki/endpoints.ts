import type { AnyEndpoint } from '../../contract/endpoint.ts'
import { discussions } from './discussions.ts'
import { edit } from './edit.ts'
import { wikiHistory } from './history.ts'
import { wikiReads } from './read.ts'
import { wikiSettings } from './settings.ts'

export const wikiEndpoints: readonly AnyEndpoint[] = [edit, ...wikiReads, ...wikiHistory, ...wikiSettings, discussions]
