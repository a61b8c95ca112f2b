// What the server and the flow engine say in English (refusals, problems of flows, lines of threads), in the page's
// language. Its catalogue is fetched when the first such text comes; what it lacks stays English.
import { LANGUAGE } from '../words/locale.ts'
import { sayIn } from '../words/said.ts'

/** Vite names the files by these; see words/said.test.ts. */
const CATALOGUES: Readonly<Record<string, URL>> = {
  de: new URL('../words/said/de.json', import.meta.url),
  es: new URL('../words/said/es.json', import.meta.url),
  fr: new URL('../words/said/fr.json', import.meta.url),
  pt: new URL('../words/said/pt.json', import.meta.url),
}
/** A text is worth more in English now than in another language later. */
const TIMEOUT_MS = 3_000

let say: ((english: string) => string | undefined) | undefined
let loading: Promise<void> | undefined

const fetchCatalogue = async (url: URL): Promise<void> => {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    if (response.ok) say = sayIn((await response.json()) as Record<string, string>)
  } catch {
    // Tried again for the next text.
  } finally {
    loading = undefined
  }
}

/** Never fails: without a catalogue, texts stay English. */
export const loadSaid = async (): Promise<void> => {
  const url = CATALOGUES[LANGUAGE]
  if (url === undefined || say) return
  loading ??= fetchCatalogue(url)
  await loading
}

/** After `loadSaid`. */
export const said = (english: string): string => say?.(english) ?? english

/** The same for what goes on a sentence. Other languages keep the capital, which a noun may have. */
export const saidWithin = (english: string): string =>
  LANGUAGE === 'en' ? english.charAt(0).toLowerCase() + english.slice(1) : said(english)
