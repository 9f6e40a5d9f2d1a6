import { defaultContent, MultiCreated, MultiDeleted, MultiEdited } from '../../../src/domain/multi.ts'
import { ann, bob, tea } from '../example-history.ts'
import { by, type LoggedEvent } from '../logged-events.ts'

const multi = (name: string, more: object = {}) => ({
  ...defaultContent,
  ...{ account: bob, kind: 'm' as const, name, displayName: 'Drinks', subsites: [tea], created: 1, copiedFrom: null },
  ...more,
})
export const onMultis: readonly LoggedEvent[] = [
  by(bob)(MultiCreated(multi('drinks', { description: 'hot and cold '.repeat(10) }))),
  by(bob)(
    MultiEdited(
      multi('drinks', {
        ...{ subsites: [], visibility: 'public', copiedFrom: { account: ann, name: 'drinks' } },
        ...{ quotedName: { author: ann, text: 'Drinks' }, quotedDescription: { author: ann, text: 'hot and cold' } },
      }),
    ),
  ),
  by(bob)(MultiCreated({ ...multi('cups'), renamed: { from: 'mugs', revision: 0 } })),
  by(bob)(MultiCreated(multi('gone'))),
  by(bob)(MultiDeleted({ account: bob, kind: 'm', name: 'gone' })),
]
