// The console: one page whose screens are loaded when first opened. File names contain a content hash, so browsers can
// cache them forever; only index.html is requested again.
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { buildServiceWorker } from './build-service-worker.ts'
import { wordsOfEachLanguage } from './words/build.ts'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

const server = process.env.FOYER_URL ?? 'http://127.0.0.1:8190'

/** Small parts that many screens use, each of which would be a file of its own. What fewer share isn't part of the first load. */
const COMMON =
  /console\/(state\/(dates|preferences|tags)\.ts|ui\/(field|page|search-field|small-note|popover)\.tsx)|lucide-react|useMutation/

/** Opened rarely, and made of many small parts. */
const RARE =
  /assets\/(workspace|members|roles|tokens|audit-log|webhooks?|mcp-servers?|tags|saved-repl(?:ies|y)|edit-saved-reply|business-hours|edit-business-hours|actions|edit-action|ai-(agent|report|model|tests?)|guidance|channels?|add-channel|settings|account-dialogs|device|notifications|leftovers|gaps|import-text|add-website|add-files|flow|flow-tests|flow-map|new-broadcast|broadcast|group|new-conversation|teams|edit-team|connect-mailbox|exports|source-page|source-settings|edit-item|reports|view-menu)-/

const DYNAMIC_IMPORT = /\bimport\((?=["'`]\.)(["'`][^"'`]+["'`])\)/g
const LOAD_CODE = path('state/load-code.ts')

/** Code that can't be fetched now is waited for, wherever it is imported. Types are gone from the text by then. */
const patientImports = (): Plugin => ({
  name: 'patient-imports',
  enforce: 'post',
  transform: {
    filter: { id: /\/console\/.*\.tsx?$/, code: DYNAMIC_IMPORT },
    handler: (code, id) =>
      id === LOAD_CODE
        ? null
        : {
            code: `import { loadCode } from ${JSON.stringify(LOAD_CODE)};${code.replace(DYNAMIC_IMPORT, 'loadCode(() => import($1))')}`,
            map: null,
          },
  },
})

/** Icons never change their parts, so React needs no keys for them. Being random, the keys would be a fifth of the icons' size. */
const leanIcons = (): Plugin => ({
  name: 'lean-icons',
  transform: {
    filter: { id: /\/lucide-react\/dist\/esm\/icons\// },
    handler: (code) => ({ code: code.replaceAll(/,\s*key: "\w+"/g, ''), map: null }),
  },
})

// Every build, including in tests, is a production build.
const forPeople = (command: string): void => {
  if (command === 'build') process.env.NODE_ENV = 'production'
}

export default defineConfig(({ command }) => {
  forPeople(command)
  return {
    root: path('.'),
    base: '/',
    clearScreen: false,
    resolve: {
      // What React has had since 18, and these libraries bring for older ones.
      alias: [
        { find: /^use-sync-external-store\/shim(\/index\.js)?$/, replacement: 'react' },
        {
          find: /^use-sync-external-store\/shim\/with-selector(\.js)?$/,
          replacement: 'use-sync-external-store/with-selector.js',
        },
      ],
    },
    plugins: [
      react(),
      patientImports(),
      ...(command === 'build' ? [leanIcons()] : []),
      wordsOfEachLanguage(),
      buildServiceWorker(path('../dist/console')),
    ],
    build: {
      outDir: path('../dist/console'),
      emptyOutDir: true,
      target: 'es2023',
      cssTarget: ['chrome123', 'safari17.5', 'firefox128'],
      // One stylesheet, so the order of rules never depends on which screens were opened first.
      cssCodeSplit: false,
      // The page's Content-Security-Policy doesn't allow data: scripts.
      assetsInlineLimit: 0,
      // Of each screen, the first load names the files to fetch along with it. Those that are opened rarely find theirs then.
      modulePreload: {
        polyfill: false,
        resolveDependencies: (file, parts) => (RARE.test(file) ? [] : parts),
      },
      // Apart, parts that are loaded together compress worse: 5 kB for what every page loads, 4 kB for a conversation. What
      // other screens share must not be in the inbox's files, or they would load those.
      rolldownOptions: {
        output: {
          codeSplitting: {
            groups: [
              { name: 'initial', tags: ['$initial'], priority: 5 },
              { name: 'common', test: COMMON, minShareCount: 5, priority: 4 },
              {
                name: 'contact',
                test: /screens\/contacts\/(contact-(fields|parts|who)|visitor-block)/,
                priority: 3,
              },
              { name: 'texts', test: /ui\/(linked|marked)-text\.tsx$/, priority: 3 },
              { name: 'inbox', test: /inbox\/inbox\.tsx$/, priority: 2 },
              { name: 'conversation', test: /inbox\/(conversation|contact-panel)\.tsx$/, priority: 1 },
            ],
          },
        },
      },
    },
    server: {
      port: 8191,
      strictPort: true,
      proxy: {
        '/console/api': server,
        '/files': server,
        '/sandbox': server,
      },
    },
  }
})
