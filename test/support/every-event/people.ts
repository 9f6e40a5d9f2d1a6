import { AccountBlocked, AccountUnblocked, Friended, FriendNoteChanged, Unfriended } from '../../../src/domain/friends-and-blocks.ts'
import { SubsiteBlocked, SubsiteMuted, SubsiteUnblocked, SubsiteUnmuted } from '../../../src/domain/mutes-and-blocks.ts'
import { PreferencesChanged } from '../../../src/domain/preferences.ts'
import { ThingHidden, ThingSaved, ThingUnhidden, ThingUnsaved } from '../../../src/domain/shelf.ts'
import { Subscribed, Unsubscribed } from '../../../src/domain/subscription.ts'
import { ann, bob, dave, pot, praise, tea } from '../example-history.ts'
import { by, type LoggedEvent } from '../logged-events.ts'
import { kettle } from './terms.ts'

const preferring = (preference: string, before: boolean | number, after: boolean | number) => ({
  account: bob,
  changes: [{ preference, before, after }],
  preferences: after === 25 ? [] : [{ preference, value: after }],
})
export const onPeople: readonly LoggedEvent[] = [
  by(bob)(PreferencesChanged(preferring('numsites', 25, 50))),
  by(bob)(PreferencesChanged(preferring('numsites', 50, 25))),
  by(bob)(PreferencesChanged(preferring('hide_ups', false, true))),
  by(bob)(ThingSaved({ account: bob, thing: praise, subsite: tea, category: 'brewing' })),
  by(bob)(ThingSaved({ account: bob, thing: pot, subsite: tea })),
  by(ann)(ThingSaved({ account: ann, thing: kettle, subsite: tea, sealedCategory: 'kitchen' })),
  by(ann)(ThingUnsaved({ account: ann, thing: kettle, subsite: tea })),
  by(ann)(ThingHidden({ account: ann, thing: kettle, subsite: tea })),
  by(ann)(ThingUnhidden({ account: ann, thing: kettle, subsite: tea })),
  by(ann)(FriendNoteChanged({ account: ann, other: bob, note: 'knows all about tea' })),
  by(bob)(Friended({ account: bob, other: ann, note: 'x' })),
  by(bob)(Unfriended({ account: bob, other: ann })),
  by(ann)(AccountBlocked({ account: ann, other: bob })),
  by(bob)(AccountBlocked({ account: bob, other: dave })),
  by(bob)(AccountUnblocked({ account: bob, other: dave })),
  by(ann)(SubsiteMuted({ account: ann, subsite: tea })),
  by(bob)(SubsiteMuted({ account: bob, subsite: tea })),
  by(bob)(SubsiteUnmuted({ account: bob, subsite: tea })),
  by(ann)(SubsiteBlocked({ account: ann, subsite: tea })),
  by(bob)(SubsiteBlocked({ account: bob, subsite: tea })),
  by(bob)(SubsiteUnblocked({ account: bob, subsite: tea })),
  by(bob)(Unsubscribed({ account: bob, subsite: tea })),
  by(dave)(Subscribed({ account: dave, subsite: tea })),
  by('t2_jon')(Subscribed({ account: 't2_jon', subsite: tea })),
  by('t2_jon')(Unsubscribed({ account: 't2_jon', subsite: tea })),
  by('t2_jon')(Subscribed({ account: 't2_jon', subsite: tea })),
]
