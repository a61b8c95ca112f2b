// The program as it is run everywhere: the bundle that `./foyer` starts.
import { execFileSync } from 'node:child_process'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '..')

export const PROGRAM = join(ROOT, 'dist/program/foyer.js')

/** Builds it if its sources have changed. */
export const buildProgram = (): void => {
  execFileSync(process.execPath, ['setup/install.mjs', 'dist/program'], { cwd: ROOT })
}
