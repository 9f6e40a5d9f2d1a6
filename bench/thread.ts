import type { Session } from './session.ts'

const IN_FLIGHT = 32

/** A self-post with a thread of so many comments, half of them top-level, made through the interface; the path of its page. */
export const growThread = async (url: string, writers: readonly Session[], subsite: string, size: number): Promise<string> => {
  const writer = (index: number): Session => writers[index % writers.length] ?? { headers: {} }
  const post = async (path: string, form: Readonly<Record<string, string>>, index: number) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      body: new URLSearchParams({ ...form, api_type: 'json' }),
      headers: writer(index).headers,
    })
    const { json } = (await response.json()) as {
      json: { errors: readonly unknown[]; data: { name: string; things: readonly { data: { name: string } }[] } }
    }
    if (json.errors.length > 0) throw new Error(`${path}: ${JSON.stringify(json.errors)}`)
    return json.data
  }

  const { name: link } = await post('/api/submit', { sr: subsite, kind: 'self', title: `A thread of ${size}` }, 0)
  const comments: string[] = []
  let begun = 0
  const work = async () => {
    for (let index = begun++; index < size; index = begun++) {
      const parent = index % 2 === 0 ? link : (comments[Math.floor(comments.length * ((index * 0.618) % 1))] ?? link)
      const { things } = await post(
        '/api/comment',
        { thing_id: parent, text: `Comment ${index}, which says *something* at some length.` },
        index,
      )
      comments.push(things[0]?.data.name ?? link)
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, work))
  return `/comments/${link.slice(3)}`
}
