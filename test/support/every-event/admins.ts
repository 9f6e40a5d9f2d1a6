import { AdminGranted, AdminRevoked } from '../../../src/domain/admins.ts'
import { carol, dave } from '../example-history.ts'
import { inNameOf, type LoggedEvent } from '../logged-events.ts'
import { host, root } from './terms.ts'

const system = inNameOf(null)

export const onAdmins: readonly LoggedEvent[] = [
  system(AdminGranted({ account: root })),
  system(AdminGranted({ account: 't2_former' })),
  system(AdminRevoked({ account: 't2_former' })),
  system(AdminGranted({ account: host })),
  system(AdminGranted({ account: carol })),
  system(AdminGranted({ account: dave })),
]
