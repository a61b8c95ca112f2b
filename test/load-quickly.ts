// Loaded before every test file: Node finds modules in half the time. One of ours is where its import says, so nothing
// need be looked for, and libraries of many files come from the few in TEST_LIBRARIES (test/libraries.ts).
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fileOf, isInLibrary, LIBRARIES } from './libraries.ts'

const folder = process.env.TEST_LIBRARIES

/** The runner sets the context for a file's process, and not for itself. */
if (folder && process.env.NODE_TEST_CONTEXT) {
  const libraries = new Map(LIBRARIES.map((name) => [name, pathToFileURL(join(folder, fileOf(name))).href]))
  registerHooks({
    resolve: (specifier, context, next) => {
      if (specifier.startsWith('.') && specifier.endsWith('.ts'))
        return {
          url: new URL(specifier, context.parentURL).href,
          format: 'module-typescript',
          shortCircuit: true,
        }
      const library = libraries.get(specifier)
      if (library) return { url: library, format: 'module', shortCircuit: true }
      // Loaded from its package it would be there twice, with two of each class.
      if (isInLibrary(specifier)) throw new Error(`${specifier} is missing in test/libraries.ts`)
      return next(specifier, context)
    },
  })
}
