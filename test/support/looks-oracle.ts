import { DONE, type Log, type Outcome, type Person, type Standing } from './standing-oracle.ts'

/*
 * The images and the stylesheet of a subsite, from the interface alone. It shares nothing with the service.
 */

export const slots = ['header', 'icon', 'banner'] as const
export type Slot = (typeof slots)[number]

/** Stylesheets, as they are written, and as they are published with `@` for the address of the image `pot`. */
export const sheets = [
  { source: '', published: '' },
  { source: 'a { color: red }', published: 'a{color:red}' },
  { source: 'b { margin: 0 }', published: 'b{margin:0}' },
  { source: 'i { background: url(%%pot%%) }', published: 'i{background:url(@)}' },
  { source: '@import "x";', published: undefined },
] as const

/** An image is its colour; -1 is no image. */
export type LooksAct =
  | { readonly act: 'upload'; readonly name: string; readonly colour: number }
  | { readonly act: 'uploadslot'; readonly slot: Slot; readonly colour: number }
  | { readonly act: 'delimage'; readonly name: string }
  | { readonly act: 'delslot'; readonly slot: Slot }
  | { readonly act: 'stylesheet'; readonly sheet: number; readonly save: boolean; readonly reason: string }

export type Published = { readonly css: string; readonly pot: number }

/** `revise` is called with each text of the stylesheet that is saved. */
export const openLooks = (standing: Standing, log: Log, revise: (source: string, by: Person, reason: string) => void) => {
  const images = new Map<string, number>()
  const inSlot = new Map<Slot, number>()
  let source = ''
  let published: Published = { css: '', pot: -1 }

  const compile = (text: string): Published | undefined => {
    const sheet = sheets.find((one) => one.source === text)
    if (sheet?.published === undefined) return undefined
    const pot = sheet.published.includes('@') ? images.get('pot') : -1
    return pot === undefined ? undefined : { css: sheet.published, pot }
  }

  /** Saves a text that compiles; false if it does not. The same text is saved again only if it shows another image now. */
  const save = (text: string, by: Person, reason: string): boolean => {
    const compiled = compile(text)
    if (!compiled) return false
    if (text === source && compiled.pot === published.pot) return true
    source = text
    published = compiled
    revise(text, by, reason)
    log({ by, action: 'wikirevise', details: 'Updated subsite stylesheet', description: reason })
    return true
  }

  const perform = (who: Person, act: LooksAct): Outcome => {
    if (!standing.views(who) || !standing.may(who, 'config')) return '403'
    const entry = (details: string, description = '') => log({ by: who, action: 'editsettings', details, description })
    switch (act.act) {
      case 'upload':
        if (!/^[A-Za-z0-9-]{1,100}$/.test(act.name)) return 'BAD_CSS_NAME'
        if (act.colour < 0) return 'IMAGE_ERROR'
        images.set(act.name, act.colour)
        entry('upload_image', act.name)
        return DONE
      case 'uploadslot':
        if (act.colour < 0) return 'IMAGE_ERROR'
        inSlot.set(act.slot, act.colour)
        entry(`upload_image_${act.slot}`)
        return DONE
      case 'delimage':
        if (!/^[A-Za-z0-9-]{1,100}$/.test(act.name)) return 'BAD_CSS_NAME img_name'
        if (images.delete(act.name)) entry('del_image', act.name)
        return DONE
      case 'delslot':
        if (inSlot.delete(act.slot)) entry(`del_${act.slot}`)
        return DONE
      case 'stylesheet': {
        const text = sheets[act.sheet]?.source ?? ''
        if (!compile(text)) return 'BAD_CSS stylesheet_contents'
        if (act.save) save(text, who, act.reason)
        return DONE
      }
    }
  }

  return {
    perform,
    save,
    published: (): Published => published,
    inSlot: (slot: Slot): number => inSlot.get(slot) ?? -1,
  }
}
