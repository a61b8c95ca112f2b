// The address of an action: a fixed scheme, host and port, with {{parameters}} in path segments and values of the query.
// A parameter can change neither where a request goes nor how its path or query is divided.
import { refuseUrl } from '../../../channels/channel.ts'

const SHAPE = /^(https?:\/\/[^/?#{}\\\s]+)(\/[^?#\s\\]*)?(\?[^#\s\\]*)?$/i
const PLACEHOLDER = /\{\{([a-zA-Z][a-zA-Z0-9_]{0,63})\}\}/g
/** As browsers and servers read them: left out, with the segment before. */
const DOTS = /^(\.|%2e){1,2}$/i
/** Also when a server decodes what was encoded. */
const SPLITS_PATH = /[/\\\p{Cc}]/u

export type UrlTemplate = {
  /** With the host in lowercase and at least a slash as its path. */
  text: string
  origin: string
  host: string
  /** The parameters of the path, each of which must have a value. */
  pathNames: string[]
  names: string[]
}

/** A problem completes the sentence “The address …”. */
export const parseUrlTemplate = (given: string): UrlTemplate | { problem: string } => {
  const [, start, path = '/', query = ''] = SHAPE.exec(given.trim()) ?? []
  if (!start)
    return { problem: 'must look like https://api.example.com/orders/{{number}}, with a fixed host and no #' }
  const sample = `${start}${path}${query}`.replace(PLACEHOLDER, 'x')
  if (/[{}]/.test(sample))
    return { problem: 'has braces that are no {{parameter}}: a name has letters, digits and _' }
  if (!URL.canParse(sample)) return { problem: 'is not a valid URL' }
  const url = new URL(sample)
  const refusal = refuseUrl(url)
  if (refusal) return { problem: refusal }
  if (hasDots(path)) return { problem: 'must not contain . or .. as a segment' }
  const isInName = query
    .slice(1)
    .split('&')
    .some((pair) => pair.split('=', 1)[0]!.includes('{{'))
  if (isInName) return { problem: 'can have parameters only in the values of its query, after an =' }
  const text = `${url.origin}${path}${query}`
  const pathNames = namesIn(path)
  return { text, origin: url.origin, host: url.host, pathNames, names: [...pathNames, ...namesIn(query)] }
}

const namesIn = (text: string): string[] => [...text.matchAll(PLACEHOLDER)].map(([, name]) => name!)

const hasDots = (path: string): boolean => path.split('/').some((segment) => DOTS.test(segment))

/** The address with these values. A problem is in words for whoever looks at the run. */
export const renderUrl = (
  template: string,
  values: Readonly<Record<string, string>>,
): { url: URL } | { problem: string } => {
  const [, start = '', path = '', query = ''] = SHAPE.exec(template) ?? []
  const inPath = namesIn(path).find((name) => SPLITS_PATH.test(values[name] ?? '') || !values[name])
  if (inPath)
    return {
      problem: `The value of ${inPath} can’t be part of the address: it is empty or contains a slash.`,
    }
  const fill = (text: string): string =>
    text.replace(PLACEHOLDER, (_, name: string) => encodeURIComponent((values[name] ?? '').toWellFormed()))
  const filled = fill(path)
  if (hasDots(filled)) return { problem: 'A value would change the path of the address.' }
  return { url: new URL(start + filled + fill(query)) }
}
