// The console: one page whose screens are loaded when first opened. File names contain a content hash, so browsers can
// cache them forever; only index.html is requested again.
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

const server = process.env.FOYER_URL ?? 'http://127.0.0.1:8190'

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
    plugins: [react()],
    build: {
      outDir: path('../dist/console'),
      emptyOutDir: true,
      target: 'es2023',
      cssTarget: ['chrome123', 'safari17.5', 'firefox128'],
      // One stylesheet, so the order of rules never depends on which screens were opened first.
      cssCodeSplit: false,
      // The page's Content-Security-Policy doesn't allow data: scripts.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      // What every page loads is one file: apart, its parts compress worse by 5 kB.
      rolldownOptions: {
        output: { codeSplitting: { groups: [{ name: 'initial', tags: ['$initial'] }] } },
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
