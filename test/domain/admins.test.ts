import test from 'ava'
import { AdminGranted, AdminRevoked, Admins, changeAdmins, grantAdmin } from '../../src/domain/admins.ts'
import { specification } from '../support/specification.ts'

const { given } = specification(Admins)
const [ann, bob] = ['t2_ann', 't2_bob'] as const
const granted = (account: string) => AdminGranted({ account })

test(
  'configured accounts become admins',
  given()
    .when(changeAdmins([], [ann, bob]))
    .records(granted(ann), granted(bob)),
)
test(
  'only what differs is recorded',
  given(granted(ann))
    .when(changeAdmins([ann], [bob]))
    .records(granted(bob), AdminRevoked({ account: ann })),
)
test('the same admins are recorded once', given(granted(ann)).when(changeAdmins([ann], [ann])).recordsNothing)
test('admins that changed since they were compared are compared again', given(granted(bob)).when(changeAdmins([], [ann])).recordsNothing)
test('an account is granted once', given(granted(ann)).when(grantAdmin(ann)).recordsNothing)
test(
  'an account that was revoked can be granted again',
  given(granted(ann), AdminRevoked({ account: ann }))
    .when(grantAdmin(ann))
    .records(granted(ann)),
)
