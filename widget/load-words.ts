// The texts of a language, as data from the server.
import type { Words } from './words.ts'

const timeoutMs = 5_000

/** Undefined if they can't be loaded; the chat is then in English. */
export const loadWords = async (base: string, language: string): Promise<Words | undefined> => {
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(), timeoutMs)
  try {
    const response = await fetch(`${base}/widget/words/${language}.json`, {
      credentials: 'omit',
      signal: abort.signal,
    })
    // The files are ours; a test compares each with the English one.
    return response.ok ? ((await response.json()) as Words) : undefined
  } catch {
    return undefined
  } finally {
    clearTimeout(timer)
  }
}
