// Libraries of a thousand small files, which every test file's process would find and read one by one. They are put
// into a few files once, and test/load-quickly.ts takes those.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '..')

/** What is imported of them. Nothing in them depends on where its file is. */
export const LIBRARIES = [
  'kysely',
  'kysely/helpers/postgres',
  'libphonenumber-js/max',
  'libphonenumber-js/min',
  'typebox',
  'typebox/compile',
  'typebox/format',
  'typebox/value',
]

const PACKAGES = new Set(LIBRARIES.map((library) => library.split('/', 1)[0]))

export const isInLibrary = (specifier: string): boolean => PACKAGES.has(specifier.split('/', 1)[0])

export const fileOf = (library: string): string => `${library.replaceAll('/', '-')}.js`

/** Returns their folder, whose name depends on the installed versions. */
export const prepareLibraries = async (): Promise<string> => {
  const hash = createHash('sha256').update(readFileSync(join(ROOT, 'package-lock.json')))
  hash.update(LIBRARIES.join())
  const folder = join(ROOT, 'node_modules/.cache', `foyer-tests-${hash.digest('hex').slice(0, 12)}`)
  if (existsSync(folder)) return folder
  const { build } = await import('vite')
  const unfinished = `${folder}-${process.pid}`
  await build({
    root: ROOT,
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: true },
    publicDir: false,
    build: {
      ssr: true,
      outDir: unfinished,
      target: 'node24',
      minify: false,
      rolldownOptions: {
        input: Object.fromEntries(LIBRARIES.map((library) => [fileOf(library), library])),
        output: { entryFileNames: '[name]' },
        treeshake: false,
      },
    },
  })
  try {
    renameSync(unfinished, folder)
  } catch (error) {
    // Another run was faster.
    if (!existsSync(folder)) throw error
    rmSync(unfinished, { recursive: true })
  }
  return folder
}
