// The sources in what a model is given: as JSON with ids and texts, or as elements <source id="…">…</source>.
import { type Json, objectOf } from '../../http.ts'
import type { Heard } from '../exchange.ts'

export type Source = { id: string; text: string }

const TEXTS_MAX = 200
const DEPTH_MAX = 6
const TEXT_NAMES = ['text', 'body', 'content', 'answer', 'quote']
const ID_NAMES = ['id', 'ref', 'sourceId', 'chunkId']

/** Of the tools' results, the prompt and the turns, in this order. */
export const findSources = ({ system, entries }: Heard): Source[] => {
  const results = entries.flatMap((entry) => (entry.from === 'result' ? [entry.text] : []))
  const said = entries.flatMap((entry) => (entry.from === 'user' ? [entry.text] : []))
  const found = [...results, system, ...said].flatMap((text) => [...inJson(text), ...inElements(text)])
  return found.filter(({ id }, at) => found.findIndex((one) => one.id === id) === at).slice(0, TEXTS_MAX)
}

const inElements = (text: string): Source[] =>
  text
    .split('<source ')
    .slice(1)
    .flatMap((part) => {
      const end = part.indexOf('</source>')
      const open = part.indexOf('>')
      const id = /^[^>]{0,200}?\bid="([^"]{1,200})"/.exec(part)?.[1]
      return id === undefined || open < 0 || end < open
        ? []
        : [{ id, text: part.slice(open + 1, end).trim() }]
    })

const inJson = (text: string): Source[] => {
  try {
    return inValue(JSON.parse(text), 0)
  } catch {
    return []
  }
}

const inValue = (value: unknown, depth: number): Source[] => {
  if (depth > DEPTH_MAX || typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap((one) => inValue(one, depth + 1))
  const object: Json = objectOf(value)
  const id = ID_NAMES.map((name) => object[name]).find((one) => typeof one === 'string')
  const text = TEXT_NAMES.map((name) => object[name]).find((one) => typeof one === 'string')
  if (typeof id === 'string' && typeof text === 'string') return [{ id, text }]
  return Object.values(object).flatMap((one) => inValue(one, depth + 1))
}
