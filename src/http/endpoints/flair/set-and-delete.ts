import * as E from 'fp-ts/lib/Either.js'
import { noFlair } from '../../../domain/flair.ts'
import type { AccountId } from '../../../domain/ids.ts'
import { configureFlair, SubsiteFlair } from '../../../domain/subsite-flair.ts'
import { type AnyEndpoint, type Need, section } from '../../contract/endpoint.ts'
import { allowEmpty, describeParam, documentRequired, flag, oneOf } from '../../contract/params.ts'
import { refuseRule } from '../../contract/refusals.ts'
import { decodeLate, moderatorHere, refuseIfDecided, subsiteIdHere } from '../../needs/facts.ts'
import { capacityOverFlair, type FlairTarget, onAccount, onLink } from '../../things/flair.ts'
import { accountOfName, classesParam, linkOfName, linkParam, nameParam, noTarget, textParam } from './target.ts'

const { post } = section('Flair', { scope: 'modflair', login: 'moderator', errors: 'form', accountQuota: 'flair' })

/** Returns the named link, else the account in the subsite of the path. */
const flairTarget: Need<FlairTarget, { readonly link: string | undefined; readonly name: string | undefined }> = async (context) => {
  const { params } = context
  const link = await linkOfName(context, params.link)
  if (link) {
    const target = onLink(link)
    return (await capacityOverFlair(context, target)) ? E.right(target) : refuseRule('FORBIDDEN')
  }
  const [account, subsite] = [await accountOfName(context, params.name), subsiteIdHere(context)]
  return account === undefined || subsite === undefined ? noTarget() : E.right(onAccount(subsite, account))
}

const accountMeant: Need<AccountId, { readonly name: string | undefined }> = async (context) => {
  const account = await accountOfName(context, context.params.name)
  return account === undefined ? noTarget() : E.right(account)
}

const flair = post('[/s/{sub}]/api/flair', {
  summary: 'Set the flair of a user or of a link.',
  notes:
    'For moderators with `flair` (in the subsite of the link, if one is named), and for the link’s author if the subsite lets authors choose. Text and classes are replaced together: an absent one becomes empty; if both are empty, the flair is cleared. Each change is an entry in the moderation log.',
  params: { link: linkParam, name: nameParam },
  needs: {
    act: moderatorHere('flair'),
    css_class: decodeLate(classesParam),
    text: decodeLate(textParam),
    target: refuseIfDecided(flairTarget, ({ thing }) => thing),
  },
  handle: (context) => context.target.set(context, { text: context.text, css: context.css_class }),
})

const deleteFlair = post('[/s/{sub}]/api/deleteflair', {
  summary: 'Clear the flair of a user.',
  notes: 'For moderators with `flair`. If the user has no flair, nothing is changed or logged.',
  params: { name: documentRequired(nameParam) },
  needs: { act: moderatorHere('flair'), account: refuseIfDecided(accountMeant, (account) => account) },
  handle: (context) => onAccount(context.act.subsite, context.account).set(context, noFlair),
})

const flairConfig = post('[/s/{sub}]/api/flairconfig', {
  accountQuota: 'settings',
  summary: 'Configure the flair of a subsite.',
  notes:
    'For moderators with `flair`. Every call sets all five: a boolean that is absent is false. Each changed setting is an entry in the moderation log.',
  needs: {
    act: moderatorHere('flair'),
    flair_enabled: decodeLate(flag()),
    flair_position: decodeLate(describeParam(oneOf('left', 'right'), 'beside names')),
    flair_self_assign_enabled: decodeLate(describeParam(flag(), 'users choose their own')),
    link_flair_position: decodeLate(
      describeParam(allowEmpty(oneOf('left', 'right')), 'beside titles; empty or absent: link flair is not shown'),
    ),
    link_flair_self_assign_enabled: decodeLate(describeParam(flag(), 'authors choose that of their links')),
  },
  handle: (context) => {
    const settings = {
      flair_enabled: context.flair_enabled,
      flair_position: context.flair_position,
      link_flair_position: context.link_flair_position ?? '',
      flair_self_enabled: context.flair_self_assign_enabled,
      link_flair_self_enabled: context.link_flair_self_assign_enabled,
    }
    return context.run(SubsiteFlair, context.act.subsite, configureFlair(context.act.subsite, settings))
  },
})

export const moderatedFlair: readonly AnyEndpoint[] = [flair, deleteFlair, flairConfig]
