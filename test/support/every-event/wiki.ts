import { SubsiteSettingChanged } from '../../../src/domain/subsite.ts'
import {
  WikiEditorAdded,
  WikiEditorRemoved,
  WikiPageListingChanged,
  WikiPagePermlevelChanged,
  WikiPageRevised,
} from '../../../src/domain/wiki-page.ts'
import { WikiRevisionHidden, WikiRevisionUnhidden } from '../../../src/domain/wiki-revision.ts'
import { bob, carol, dave, tea, told } from '../example-history.ts'
import { idOf, inNameOf, type LoggedEvent } from '../logged-events.ts'
import { onAccounts } from './accounts.ts'
import { onAdmins } from './admins.ts'
import { onFlair } from './flair.ts'
import { onOptions, onThings } from './links-and-comments.ts'
import { onMail } from './mail.ts'
import { onStaff } from './moderators.ts'
import { onMultis } from './multis.ts'
import { onPeople } from './people.ts'
import { onRelations } from './relations.ts'
import { onReports } from './reports.ts'
import { onSettings } from './subsites.ts'
import { mod } from './terms.ts'

const wiki = { subsite: tea, page: 'leaves/green' }
const special = { subsite: tea, page: 'config/automoderator' }

/** Everything that happens before; its order decides the ids of the revisions below. */
export const beforeWiki: readonly LoggedEvent[] = [
  ...told,
  ...onAdmins,
  ...onThings,
  ...onOptions,
  ...onReports,
  ...onMail,
  ...onFlair,
  ...onPeople,
  ...onSettings,
  ...onStaff,
  ...onRelations,
  ...onMultis,
  ...onAccounts,
]
const before = beforeWiki.length
/** The first revision of the page, and the one of the sidebar: the events here are counted on from those before. */
const first = { ...wiki, revision: idOf(before + 1) }
export const onWiki: readonly LoggedEvent[] = [
  inNameOf(bob)(WikiPageRevised({ ...wiki, author: bob, content: 'Leaves.', previous: null })),
  mod(WikiPageRevised({ ...wiki, author: carol, content: 'Green leaves.', reason: 'said more', previous: first.revision })),
  mod(
    WikiPageRevised({
      ...wiki,
      author: carol,
      content: 'Leaves.',
      reason: 'r'.repeat(100),
      previous: idOf(before + 2),
      reverts: first.revision,
    }),
  ),
  inNameOf(carol)(WikiPageRevised({ ...special, author: carol, content: 'type: link', previous: null })),
  mod(SubsiteSettingChanged({ subsite: tea, setting: 'description', before: 'water', after: 'hot water', reason: 'too cold' })),
  mod(WikiRevisionHidden({ subsite: tea, page: 'config/sidebar', revision: idOf(before + 5) })),
  mod(WikiRevisionHidden(first)),
  mod(WikiRevisionUnhidden(first)),
  mod(WikiEditorAdded({ subsite: tea, page: 'unwritten', account: bob })),
  mod(WikiEditorAdded({ ...wiki, account: bob })),
  mod(WikiEditorAdded({ ...wiki, account: dave })),
  mod(WikiEditorRemoved({ ...wiki, account: bob })),
  mod(WikiPagePermlevelChanged({ ...wiki, before: 0, after: 2 })),
  mod(WikiPageListingChanged({ ...wiki, listed: false })),
  mod(WikiPageListingChanged({ ...special, listed: false })),
  mod(WikiPageListingChanged({ ...wiki, listed: true })),
  mod(WikiPageListingChanged({ ...wiki, listed: false })),
]
