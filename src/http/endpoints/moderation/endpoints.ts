import type { AnyEndpoint } from '../../contract/endpoint.ts'
import { distinguish } from './distinguish.ts'
import { erasureEndpoints } from './erasures.ts'
import { modLog } from './log.ts'
import { mutingEndpoints } from './message-muting.ts'
import { modQueue } from './queues.ts'
import { actEndpoints } from './remove-approve-lock-sticky.ts'
import { ignoreReports, report, unignoreReports } from './reports.ts'

export const moderationEndpoints: readonly AnyEndpoint[] = [
  ...actEndpoints,
  distinguish,
  report,
  ignoreReports,
  unignoreReports,
  ...mutingEndpoints,
  modLog,
  modQueue,
  ...erasureEndpoints,
]
