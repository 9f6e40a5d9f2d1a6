import { LinkSubmitted } from '../../src/domain/link.ts'

export const born = { link: 't5_9k', subsite: 't4_1', author: 't2_ann', over18: false, filtered: false }
export const submitted = LinkSubmitted({ ...born, title: 'Tea', url: 'http://tea.example/', sendReplies: false })
