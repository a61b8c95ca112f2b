// What a site's robots.txt lets us read, after RFC 9309. Pure.

/** How the file names us; "*" stands for everyone. */
const OUR_NAME = 'foyer'
const LINES_MAX = 10_000
const STARS_MAX = 20

type Rule = { allows: boolean; path: string }
export type Robots = { rules: readonly Rule[]; sitemaps: readonly string[] }

export const ALLOWS_ALL: Robots = { rules: [], sitemaps: [] }

export const parseRobots = (text: string): Robots => {
  const groups = new Map<string, Rule[]>()
  const sitemaps: string[] = []
  let names: string[] = []
  let hasRules = false
  for (const line of text.split(/\r\n|[\r\n]/, LINES_MAX)) {
    const [, key, given] = /^\s*([a-z-]+)\s*:\s*([^#]*)/i.exec(line) ?? []
    const value = given?.trim() ?? ''
    switch (key?.toLowerCase()) {
      case 'user-agent':
        if (hasRules) names = []
        hasRules = false
        names.push(value.split('/')[0]!.toLowerCase())
        if (!groups.has(names.at(-1)!)) groups.set(names.at(-1)!, [])
        break
      case 'allow':
      case 'disallow':
        hasRules = true
        // An empty one says nothing.
        if (value !== '')
          for (const name of names)
            groups.get(name)?.push({ allows: key!.toLowerCase() === 'allow', path: value })
        break
      case 'sitemap':
        sitemaps.push(value)
    }
  }
  return { rules: groups.get(OUR_NAME) ?? groups.get('*') ?? [], sitemaps }
}

const decoded = (path: string): string => {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

/** `*` is any text, and a `$` at the end is the end. */
const matches = (pattern: string, path: string): boolean => {
  const isWhole = pattern.endsWith('$')
  const [start = '', ...parts] = (isWhole ? pattern.slice(0, -1) : pattern).split('*').slice(0, STARS_MAX)
  if (!path.startsWith(start)) return false
  const last = isWhole ? (parts.pop() ?? null) : null
  let at = start.length
  for (const part of parts) {
    const found = path.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  if (!isWhole) return true
  return last === null ? at === path.length : path.length - last.length >= at && path.endsWith(last)
}

/** The longest rule that matches decides, and of two as long the one that allows. */
export const isAllowed = ({ rules }: Robots, { pathname, search }: URL): boolean => {
  const path = decoded(pathname + search)
  let best: Rule | undefined
  for (const rule of rules) {
    if (!matches(decoded(rule.path), path)) continue
    const more = rule.path.length - (best?.path.length ?? -1)
    if (more > 0 || (more === 0 && rule.allows)) best = rule
  }
  return best?.allows ?? true
}
