import { globSync } from 'node:fs'
import { resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '..')
const NOT_OURS = new Set(['node_modules', 'dist', 'data', '.git'])

/** Every test file of the repository, from its root. */
export const listTestFiles = (): string[] =>
  globSync('**/*.test.{ts,tsx}', { cwd: ROOT, exclude: (name) => NOT_OURS.has(name) }).sort()
