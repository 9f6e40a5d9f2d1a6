import { AccountBlocked, AccountUnblocked, Friended, FriendNoteChanged, Unfriended } from '../../../src/domain/friends-and-blocks.ts'
import { SubsiteBlocked, SubsiteMuted, SubsiteUnblocked, SubsiteUnmuted } from '../../../src/domain/mutes-and-blocks.ts'
import { PreferencesChanged } from '../../../src/domain/preferences.ts'
import { ThingHidden, ThingSaved, ThingUnhidden, ThingUnsaved } from '../../../src/domain/shelf.ts'
import { Subscribed, Unsubscribed } from '../../../src/domain/subscription.ts'
import { ann, bob, dave, pot, praise, tea } from '../example-history.ts'
import { inNameOf, type LoggedEvent } from '../logged-events.ts'
import { kettle } from './terms.ts'

const preferenceChange = (preference: string, before: boolean | number, after: boolean | number) => ({
  account: bob,
  changes: [{ preference, before, after }],
  preferences: after === 25 ? [] : [{ preference, value: after }],
})
export const onPeople: readonly LoggedEvent[] = [
  inNameOf(bob)(PreferencesChanged(preferenceChange('numsites', 25, 50))),
  inNameOf(bob)(PreferencesChanged(preferenceChange('numsites', 50, 25))),
  inNameOf(bob)(PreferencesChanged(preferenceChange('hide_ups', false, true))),
  inNameOf(bob)(ThingSaved({ account: bob, thing: praise, subsite: tea, category: 'brewing' })),
  inNameOf(bob)(ThingSaved({ account: bob, thing: pot, subsite: tea })),
  inNameOf(ann)(ThingSaved({ account: ann, thing: kettle, subsite: tea, sealedCategory: 'kitchen' })),
  inNameOf(ann)(ThingUnsaved({ account: ann, thing: kettle, subsite: tea })),
  inNameOf(ann)(ThingHidden({ account: ann, thing: kettle, subsite: tea })),
  inNameOf(ann)(ThingUnhidden({ account: ann, thing: kettle, subsite: tea })),
  inNameOf(ann)(FriendNoteChanged({ account: ann, other: bob, note: 'knows all about tea' })),
  inNameOf(bob)(Friended({ account: bob, other: ann, note: 'x' })),
  inNameOf(bob)(Unfriended({ account: bob, other: ann })),
  inNameOf(ann)(AccountBlocked({ account: ann, other: bob })),
  inNameOf(bob)(AccountBlocked({ account: bob, other: dave })),
  inNameOf(bob)(AccountUnblocked({ account: bob, other: dave })),
  inNameOf(ann)(SubsiteMuted({ account: ann, subsite: tea })),
  inNameOf(bob)(SubsiteMuted({ account: bob, subsite: tea })),
  inNameOf(bob)(SubsiteUnmuted({ account: bob, subsite: tea })),
  inNameOf(ann)(SubsiteBlocked({ account: ann, subsite: tea })),
  inNameOf(bob)(SubsiteBlocked({ account: bob, subsite: tea })),
  inNameOf(bob)(SubsiteUnblocked({ account: bob, subsite: tea })),
  inNameOf(bob)(Unsubscribed({ account: bob, subsite: tea })),
  inNameOf(dave)(Subscribed({ account: dave, subsite: tea })),
  inNameOf('t2_jon')(Subscribed({ account: 't2_jon', subsite: tea })),
  inNameOf('t2_jon')(Unsubscribed({ account: 't2_jon', subsite: tea })),
  inNameOf('t2_jon')(Subscribed({ account: 't2_jon', subsite: tea })),
]
