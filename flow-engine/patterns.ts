// Patterns that admins write, in RE2's syntax: matched in time proportional to the text, whatever the pattern.
import { RE2JS } from 're2js'
import { PATTERN_TEXT_MAX } from './limits.ts'

const CACHED_MAX = 500

const compiled = new Map<string, RE2JS | null>()

/** Null for a pattern that RE2 refuses (backreferences, look-around, more than 1,000 repetitions). */
const compile = (pattern: string): RE2JS | null => {
  const known = compiled.get(pattern)
  if (known !== undefined) return known
  if (compiled.size >= CACHED_MAX) compiled.clear()
  const result = tryCompile(pattern)
  compiled.set(pattern, result)
  return result
}

const tryCompile = (pattern: string): RE2JS | null => {
  try {
    return RE2JS.compile(pattern)
  } catch {
    return null
  }
}

export const isPattern = (pattern: string): boolean => compile(pattern) !== null

/** What matching it costs for each character of a text. A number that is repeated 1,000 times counts 1,000 times. */
export const patternSize = (pattern: string): number => compile(pattern)?.programSize() ?? 0

/**
 * Whether the pattern is found anywhere in the beginning of the text, so whole matches need ^ and $. A broken pattern
 * finds nothing.
 */
export const matchesPattern = (pattern: string, text: string): boolean =>
  compile(pattern)?.matcher(text.slice(0, PATTERN_TEXT_MAX)).find() ?? false
