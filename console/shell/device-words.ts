/** The first that matches counts: browsers also name those that they imitate. */
import { t } from '../words/t.ts'

const BROWSERS: [RegExp, string][] = [
  [/Edg(e|A|iOS)?\//, t`Edge`],
  [/OPR\/|Opera/, t`Opera`],
  [/SamsungBrowser\//, t`Samsung Internet`],
  [/Firefox\/|FxiOS\//, t`Firefox`],
  [/Chrome\/|CriOS\/|Chromium\//, t`Chrome`],
  [/Safari\//, t`Safari`],
]
const SYSTEMS: [RegExp, string][] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, t`Android`],
  [/Windows/, t`Windows`],
  [/CrOS/, 'ChromeOS'],
  [/Macintosh|Mac OS X/, t`Mac`],
  [/Linux|X11/, t`Linux`],
]

const nameIn = (userAgent: string, names: [RegExp, string][]): string | undefined =>
  names.find(([pattern]) => pattern.test(userAgent))?.[1]

/** Such as “Firefox on Windows”. */
export const deviceWords = (userAgent: string | null): string => {
  const browser = nameIn(userAgent ?? '', BROWSERS)
  const system = nameIn(userAgent ?? '', SYSTEMS)
  if (browser && system) return t`${browser} on ${system}`
  return browser ?? system ?? t`Unknown device`
}
